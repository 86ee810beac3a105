// Chooses among the elements that a selector matches, describes elements for messages, and proposes a selector for an element.

import { ignoringTextTransform } from '../accname/contents.js';
import { labelsOf, nameOf } from '../accname/names.js';
import { roleOf } from '../accname/roles.js';
import {
  closest,
  containsNode,
  dataOf,
  firstChildOf,
  localNameOf,
  matches,
  newTreeWalker,
  nodeTypeOf,
  parentNodeOf,
  rootOf,
  styleOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  cleanText,
  closestWhere,
  exported,
  foldedText,
  hasAttr,
  isElement,
  nfkcText,
  openTreesOf,
  parentOf,
  queryAllIn,
  siblingsFrom,
  withoutLabelMarks,
} from '../dom/dom.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { isVisible, makeInertTest } from '../layout/visible.js';
import { resolveAsWritten, resolveSelector, visibleTextOf } from './selectors.js';
import { mayBeShownOnHover } from '../visibility/style-sheets.js';
import { laysOutNoText, TEXT_VISIBLE, textVisibilityOf } from '../visibility/text-visibility.js';

/** @import { TextCriterion } from './selectors.js' */

/**
 * `usable`: visible, and not inert unless all visible ones are; `isPart`: whether the words of the selector are only a part of its text.
 * @typedef {{ id: number, text: string, place?: string, visible: boolean, usable: boolean, isPart?: boolean }} MatchedElement
 */

/**
 * Describe the elements that a command would choose for a selector, in the document or below the node with the id `within` (0: none).
 * @returns {MatchedElement[]}
 */
exported.describeBestMatches = (selector, within = 0) => {
  const { elements, parts } = chooseBestMatches(resolveBelow(selector, within));
  return describeMatches(elements).map((item, place) => ({ ...item, isPart: parts.has(elements[place]) }));
};

/** Count the elements that a selector matches, in the document or below the node with the id `within` (0: none). */
exported.countMatches = (selector, within = 0) => resolveBelow(selector, within).found.length;

/**
 * Find the elements that a selector matches below the node of an id (0: in the document). `criterion`: what text the selector compares,
 * null for CSS and XPath.
 * @returns {{ found: Element[], criterion: TextCriterion | null }}
 */
function resolveBelow(selector, id) {
  const root = id ? nodeFor(id) : document;
  return root === null ? { found: [], criterion: null } : resolveSelector(selector, root);
}

/**
 * Return the elements that a command would choose for a selector in the document.
 * @returns {Element[]}
 */
export const matchesFor = (selector) => chooseBestMatches(resolveSelector(selector)).elements;

/**
 * Choose the best of the elements `found`. If the selector compares a text or role (`criterion`, else null): the visible ones (inert ones
 * only without others), of these rather those whose text is just its words. Else all. Return { elements, parts }; `parts`: a Set of those
 * elements whose text is more than the words of the selector.
 */
export function chooseBestMatches({ found, criterion }) {
  if (criterion === null) return { elements: found, parts: NO_PARTIAL_MATCHES };
  const elements = chooseBest(withoutInert(filterUnlessEmpty(found, isSeen)), criterion);
  /** Return whether the words of the selector are only a part of an element's text, and not its name either. */
  const isPart = (element) =>
    !hasOnlyWords(element, criterion) && foldedText(nameOf(element)) !== foldedText(criterion.words);
  return { elements, parts: criterion.words ? new Set(elements.filter(isPart)) : NO_PARTIAL_MATCHES };
}

const NO_PARTIAL_MATCHES = new Set();

/**
 * Return whether a selector matches only this element, or, if it is by the whole text (`text=`), only one of the same tag in it. Words are
 * compared with the markup alone, so that the same holds in Playwright.
 */
export function isOnlyMatch(element, selector) {
  const { found, criterion } = resolveAsWritten(selector);
  const [only, ...others] = criterion === null ? found : chooseBest(found, criterion);
  if (only === undefined || others.length > 0) return false;
  const isBox = selector.startsWith('text=') && containsNode(element, only);
  return only === element || isBox && localNameOf(only) === localNameOf(element);
}

/**
 * Return the best of the elements that a selector matches. Each condition is skipped if no element fulfils it: visible; its text can be
 * seen; its text is just `words` (for a label apart from marks at its end), ignoring case; then with that mark; then in the same case.
 * `kind`: which text is compared, such as "label" or "placeholder"; `words`: "" for none.
 */
function chooseBest(elements, { kind, words }) {
  const shown = filterUnlessEmpty(filterUnlessEmpty(elements, isSeen), isTextVisible);
  if (!words || shown.length < 2) return shown;
  const whole = filterUnlessEmpty(shown, (element) => hasOnlyWords(element, { kind, words }));
  /** Return a function that tells whether a text of an element equals `words`, both changed by `fold`. */
  const hasText = (fold) => (element) => textsOf(element, kind).some((text) => fold(text) === fold(words));
  return filterUnlessEmpty(filterUnlessEmpty(whole, hasText(foldedText)), hasText(nfkcText));
}

/** Return whether a person sees an element, or the label that draws it: that of a checkbox or radio button. */
export const isSeen = (element) => isVisible(element) || isDrawnByLabel(element);

/** Return whether text in an element or in the label that draws it can be seen: it is not off screen, clipped or transparent. */
const isTextVisible = (element) =>
  textVisibilityOf(element) === TEXT_VISIBLE || isDrawnByLabel(element, /^(checkbox|radio|file)$/);

/** Return whether an element is an `<input>` of one of these types, and has a visible label. */
const isDrawnByLabel = (element, types = /^(checkbox|radio)$/) =>
  localNameOf(element) === 'input' && types.test(element.type) && Array.from(labelsOf(element)).some(isVisible);

/**
 * Return whether a text of an element equals `words`, ignoring case. Of a label also the text of each `<label>` counts, even if ARIA
 * replaces it, and colons and stars at the end do not. `kind`: which text is compared, such as "label" or "placeholder".
 */
function hasOnlyWords(element, { kind, words }) {
  const fold = kind === 'label' ? (text) => withoutLabelMarks(foldedText(text)) : foldedText;
  return textsOf(element, kind).some((text) => fold(text) === fold(words));
}

/**
 * Return the texts of an element that a selector of this kind ("label", "placeholder" …) compares; of a label the name, to which a style
 * sheet may add a star, and each `<label>`.
 */
const textsOf = (element, kind) => [
  TEXT_BY_KIND[kind](element),
  ...(kind === 'label' ? Array.from(labelsOf(element), (label) => cleanText(textContentOf(label))) : []),
];

/** Return the elements without inert ones (behind a modal dialog, or by the attribute); all if every one is inert. */
function withoutInert(elements) {
  if (elements.length < 2) return elements;
  const isInert = makeInertTest(document);
  return filterUnlessEmpty(elements, (element) => !isInert(element));
}

/** Return the elements for which `condition` returns true; all elements if it does for none. */
function filterUnlessEmpty(elements, condition) {
  const found = elements.filter(condition);
  return found.length ? found : elements;
}

/** Return a function that returns the cleaned value of the attribute `name` of an element; "" without the attribute. */
const attributeReader = (name) => (element) => cleanText(attr(element, name) || '');

// For each kind of search by words: a function that returns the text of an element that is compared.
const TEXT_BY_KIND = {
  text: (element) => cleanText(localNameOf(element) === 'input' ? element.value : textContentOf(element)),
  label: (element) => cleanText(nameOf(element)),
  placeholder: attributeReader('placeholder'),
  alt: attributeReader('alt'),
  title: attributeReader('title'),
};

/**
 * Describe the first 50 of these elements, for a message that lists what a selector matches.
 * @returns {MatchedElement[]}
 */
export function describeMatches(elements) {
  const described = elements.slice(0, 50);
  const usable = new Set(withoutInert(described.filter(isVisible)));
  const found = described.map((element) => ({
    id: idOf(element),
    text: briefDescriptionOf(element),
    visible: isVisible(element),
    usable: usable.has(element),
  }));
  const names = found.map(({ text }) => text.slice(text.indexOf('>') + 1)); // ids and classes say little to a reader
  found.forEach((item, index) => {
    const isUnique = names[index] !== '' && names.indexOf(names[index]) === names.lastIndexOf(names[index]);
    if (found.length > 1 && index < 10) item.place = describeContainer(elements[index], isUnique);
  });
  return found;
}

const PLACES =
  'li,tr,dialog,nav,main,aside,header,footer,section,article,form,fieldset,[role=row i],[role=listitem i],[role=dialog i],[role=region i]';

/**
 * Describe where an element is, to tell it from others in a message: "(hidden)" if it is, then the row, item or region around it, such as
 * `(hidden) in <li> "Kettle"`; "" for neither. `isUnique`: leave out what is around it.
 */
function describeContainer(element, isUnique) {
  const words = isVisible(element) ? [] : ['(hidden)'];
  const parent = isUnique ? null : parentOf(element);
  const place = parent && isElement(parent) ? closest(parent, PLACES) : null;
  return [...words, ...(place ? [`in ${briefDescriptionOf(place)}`] : [])].join(' ');
}

// Elements that are a row or an item to people, by markup or role.
export const ROWS_AND_ITEMS = 'li,tr,article,[role=row i],[role=listitem i],[role=treeitem i]';
const HEADING_ELEMENTS = 'h1,h2,h3,h4,h5,h6,legend,[role=heading i]';
const MOST_PLACE_TEXT = 60; // characters

/**
 * Return for each element where it is, for a message: `row "Quiet Kettle"` by the first words of the row around it, or `form "Profile"` by
 * the name or heading of the nearest part of the page that has one; "" for none.
 * @returns {string[]}
 */
exported.describePlaces = (ids) =>
  ids.map((id) => {
    const element = nodeFor(id);
    const parent = element && isElement(element) ? parentOf(element) : null;
    return parent && isElement(parent) ? describeRecordAround(parent, element) || describePartAround(parent) : '';
  });

/**
 * Return for each element the visible text that tells it from others of the same tag, role and name: for one of several "Buy" buttons the
 * text of its card, the largest box around it that contains no other one. "" if there is no other, or if elements with its tag are too
 * many.
 * @returns {string[]}
 */
exported.findTextsAround = (ids) =>
  ids.map((id) => {
    const element = nodeFor(id);
    return element && isElement(element) ? findTextAround(element) : '';
  });

/**
 * Return the visible text of the largest box around an element that contains no other element with its tag, role and name, at most 120
 * characters; "" if there is no other, or if elements with its tag are too many.
 */
export function findTextAround(element) {
  const alike = [...queryAllIn(rootOf(element), CSS.escape(localNameOf(element)))];
  if (alike.length > MOST_TWINS) return '';
  const [role, name] = [roleOf(element), nameOf(element)];
  const twins = alike.filter((other) =>
    other !== element && roleOf(other) === role && isVisible(other) && nameOf(other) === name
  );
  let box = null;
  for (let each = parentOf(element); twins.length && each && isElement(each); each = parentOf(each)) {
    if (twins.some((twin) => containsNode(each, twin))) break;
    box = each;
  }
  return box ? visibleTextsIn(box, element).join(' ').slice(0, MOST_TEXT_AROUND) : '';
}

const MOST_TWINS = 100; // elements with the tag
const MOST_TEXTS = 20;
const MOST_TEXT_AROUND = 120; // characters

/**
 * Describe the row or item around `parent` by its first visible words that are not those of `element`: `row "Quiet Kettle"`; "" for none.
 */
function describeRecordAround(parent, element) {
  const record = closest(parent, ROWS_AND_ITEMS);
  const [words] = record ? visibleTextsIn(record, element) : [];
  return words ? `${roleOf(record) || 'row'} ${JSON.stringify(words.slice(0, MOST_PLACE_TEXT))}` : '';
}

/** Return the visible texts in a box (an element), at most 20, that have a letter or a digit, except those in `element` and in fields. */
function visibleTextsIn(box, element) {
  const texts = [];
  const walker = newTreeWalker(
    document,
    box,
    NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT,
    (node) =>
      node === element || isElement(node) && (!isVisible(node) || matches(node, 'textarea,select'))
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
  );
  while (texts.length < MOST_TEXTS && walker.nextNode()) {
    const words = isElement(walker.currentNode) ? '' : cleanText(dataOf(walker.currentNode));
    if (/[\p{L}\p{N}]/u.test(words)) texts.push(words);
  }
  return texts;
}

/**
 * Describe the nearest part of the page (form, region, item …), from `element` outwards, that has a name or a heading: `form "Profile"`; ""
 * for none.
 */
function describePartAround(element) {
  for (let each = element; each && isElement(each); each = parentOf(each)) {
    if (!matches(each, PLACES)) continue;
    const heading = [...queryAllIn(each, HEADING_ELEMENTS)].find(isVisible);
    const words = cleanText(nameOf(each) || (heading ? visibleTextOf(heading) : ''));
    if (words) return `${roleOf(each) || localNameOf(each)} ${JSON.stringify(words.slice(0, MOST_PLACE_TEXT))}`;
  }
  return '';
}

/**
 * Return the element to use of several: the only one, else the only visible one, else the only visible one that is not inert; null if
 * several are left, undefined for none. `acceptsFirst`: return the first visible one, or else the first.
 */
export function pickVisible(elements, acceptsFirst) {
  if (elements.length < 2) return elements[0];
  const shown = elements.filter(isVisible);
  if (acceptsFirst) return shown[0] ?? elements[0];
  const usable = withoutInert(shown);
  return usable.length === 1 ? usable[0] : null;
}

/** Return the classes of an element as an array. */
const classesOf = (element) => (attr(element, 'class') || '').split(/\s+/).filter(Boolean);

const UNSAFE_IN_DESCRIPTION = /[\s<>"\\]+/g; // an id or class could forge the end of `<…>`

/** Describe an element for messages by its tag, and its id or first two classes: `<button#go>`. */
function describeTag(element) {
  const tag = localNameOf(element);
  const id = attr(element, 'id');
  const classes = classesOf(element);
  const which = id ? `#${id}` : classes.length ? `.${classes.slice(0, 2).join('.')}` : '';
  return `<${tag.slice(0, 40)}${which.slice(0, 41).replace(UNSAFE_IN_DESCRIPTION, '_')}>`;
}

/** Describe an element for messages by its tag, id or classes, and name or text: `<button#go> "Go"`. */
export function briefDescriptionOf(element) {
  const described = describeTag(element);
  const label = (nameOf(element) || cleanText(visibleTextOf(element).slice(0, 300))).trim().slice(0, 60);
  return label ? `${described} "${label.replace(/["\\]/g, '\\$&')}"` : described;
}

/** Return why the element of an id, or all that is in it, is hidden: `<div#box> has display: none`. "" if it can be seen, or is gone. */
exported.findHiddenReason = (id) => {
  const element = nodeFor(id);
  if (!element || isVisible(element) && !laysOutNoText(styleOf(element))) return '';
  const { by, reason } = findCauseOfHiding(element);
  return `${describeTag(by)} ${reason}`;
};

/** Return how many frames the element of an id is, or contains. */
exported.countFrames = (id) => {
  const element = nodeFor(id);
  return element ? Number(matches(element, FRAMES)) + queryAllIn(element, FRAMES).length : 0;
};
const FRAMES = 'iframe,frame';

/** Return what hides an element, and how: { by: the element itself or an ancestor, reason: "has display: none" }. */
function findCauseOfHiding(element) {
  for (const by of [element, ...ancestorsOf(element)].filter(isElement)) {
    if (localNameOf(by) === 'details' && by !== element && !hasAttr(by, 'open')) return { by, reason: 'is closed' };
    const style = styleOf(by);
    const { display, visibility } = style;
    if (display === 'none') return { by, reason: 'has display: none' };
    if (style.contentVisibility === 'hidden' && laysOutNoText(style))
      return { by, reason: 'has content-visibility: hidden' };
    if (visibility !== 'visible') return { by: originOfVisibility(by), reason: `has visibility: ${visibility}` };
  }
  return { by: element, reason: 'has no size, or is cut off' };
}

/** Return the outermost of an element and its ancestors from which it inherits its `visibility`. */
function originOfVisibility(element) {
  const parent = parentOf(element);
  const isInherited = parent && isElement(parent) && styleOf(parent).visibility === styleOf(element).visibility;
  return isInherited ? originOfVisibility(parent) : element;
}

/**
 * Return { reason: why the element of an id is hidden, hover: the element around it over which the pointer may show it, null if no rule of
 * the page says so }; null if it can be seen, or is gone.
 * @returns {{ reason: string, hover: MatchedElement | null } | null}
 */
exported.explainHidden = (id) => {
  const element = nodeFor(id);
  if (!element || isVisible(element)) return null;
  const { by, reason } = findCauseOfHiding(element);
  const around = closestWhere(parentOf(by), (each) => isElement(each) && isVisible(each));
  return {
    reason: `${by === element ? 'it' : describeTag(by)} ${reason}`,
    hover: around !== null && mayBeShownOnHover(by) ? describeMatches([around])[0] : null,
  };
};

/** @typedef {{ id: number, name: string, words: string[], operable: boolean, text: string }} Candidate */

/**
 * Return the visible controls and named elements, at most 400, with words by which they could be found, to suggest one for a selector that
 * matches none.
 * @returns {Candidate[]}
 */
exported.findCandidates = () => {
  const found = [];
  const selector = 'a[href],button,input,select,textarea,summary,[role],[onclick],[contenteditable],[id]';
  for (const element of [...openTreesOf(document)].flatMap((tree) => [...tree.querySelectorAll(selector)])) {
    if (found.length >= 400) break;
    if (!isVisible(element)) continue;
    found.push({
      id: idOf(element),
      name: nameOf(element).trim().slice(0, 80),
      words: [attr(element, 'id') || '', ...classesOf(element).slice(0, 5)],
      operable: matches(
        element,
        'a[href],button,input,select,textarea,summary,[role=button i],[role=link i],[onclick]',
      ),
      text: briefDescriptionOf(element),
    });
  }
  return found;
};

// Proposes a selector for an element.

const MAX_NAME_IN_SELECTOR = 80;
const GENERATED_ID = /\d{3,}|^[:_]|:$|--|__|[0-9a-f]{6,}/i;

/** Return whether an id looks generated, by numbers and signs in it: it may be another one with the next build or the next load. */
export const isGeneratedId = (id) => GENERATED_ID.test(id);

/**
 * Return the best selector that matches only the element of an id; "" if none does, as in a closed shadow tree; null if the element is
 * gone.
 */
export const makeLocator = (id) => {
  const element = nodeFor(id);
  return element && (selectorsOf(element).find((selector) => isOnlyMatch(element, selector)) ?? '');
};
exported.makeLocator = makeLocator;

/** Return the name of an element for selectors: with the capitals of the markup, even if its style shows others. */
export const writtenNameOf = (element) => ignoringTextTransform(() => nameOf(element));

/** Return selectors of an element as a person types them, the best first. They may match other elements, too. */
function selectorsOf(element) {
  const found = [];
  const testId = attr(element, 'data-testid');
  if (testId) found.push(`testid=${inQuotes(testId)}`);
  const [role, name] = [roleOf(element), writtenNameOf(element)];
  if (role && name && name.length <= MAX_NAME_IN_SELECTOR) found.push(`role=${role}[name=${inQuotes(name)}]`);
  for (const attribute of ['placeholder', 'alt', 'title']) {
    const words = attr(element, attribute);
    if (words && words.length <= MAX_NAME_IN_SELECTOR) found.push(`${attribute}=${inQuotes(words)}`);
  }
  const own = attr(element, 'id');
  if (own && !isGeneratedId(own)) found.push(`#${CSS.escape(own)}`);
  const field = attr(element, 'name');
  if (field) found.push(`${localNameOf(element)}[name=${inQuotes(field)}]`);
  const text = role ? '' : textContentOf(element);
  const words = text.length > 2 * MAX_NAME_IN_SELECTOR ? '' : cleanText(text);
  if (words && words.length <= MAX_NAME_IN_SELECTOR) found.push(`text=${inQuotes(words)}`);
  found.push(cssPathOf(element));
  return found;
}

/** Return a text in double quotes, escaped for a selector. */
export const inQuotes = (words) => `"${words.replace(/["\\]/g, '\\$&')}"`;

/**
 * Return a CSS path to an element, as `#list > li:nth-of-type(2)`: from the nearest ancestor whose id does not look generated, or from the
 * root.
 */
export function cssPathOf(element) {
  const steps = [];
  for (let each = element; each && nodeTypeOf(each) === 1; each = parentNodeOf(each)) {
    const own = attr(each, 'id');
    if (own && !isGeneratedId(own) && each !== element) {
      steps.unshift(`#${CSS.escape(own)}`);
      break;
    }
    steps.unshift(cssStepOf(each));
  }
  const root = rootOf(element);
  const host = root.host ? `${cssPathOf(root.host)} ` : '';
  return host + steps.join(' > ');
}

/** Return one step of a CSS path: the tag of the element, with `:nth-of-type` if siblings have the same tag. */
function cssStepOf(element) {
  const name = CSS.escape(localNameOf(element));
  const parent = parentNodeOf(element);
  const alike = parent
    ? [...siblingsFrom(firstChildOf(parent))].filter((node) =>
      nodeTypeOf(node) === 1 && localNameOf(node) === localNameOf(element)
    )
    : [];
  return alike.length > 1 ? `${name}:nth-of-type(${alike.indexOf(element) + 1})` : name;
}
