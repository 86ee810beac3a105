// Describes elements so that a flow finds them again: for `flow-save` and `flow-run`. How descriptions are compared: gstack_browse/flows.
import { idOf, nodeFor } from '../dom/node-table.js';
import { isSecret } from '../accname/states.js';
import { isVisible } from '../visibility/visible.js';
import { isBuildMade, isOnlyMatch, locator, matchesFor, ROWS_AND_ITEMS } from './matching.js';
import { openTreesOf } from './selectors.js';
import { nameOf } from '../accname/names.js';
import { roleOf } from '../accname/roles.js';
import { ancestorsOf, attr, cleanText, focusedIn, isElement } from '../dom/dom.js';
import {
  bodyOf,
  closest,
  dataOf,
  documentOf,
  localNameOf,
  matches,
  newTreeWalker,
  rectOf,
  rootOf,
  textContentOf,
  windowOf,
} from '../dom/accessors.js';

const MOST_TEXT = 120;
const MOST_NEAR = 60;
const MOST_CONTAINER_TEXT = 400; // characters of a container's text
const MOST_EQUAL = 200; // elements among which an order is counted
const MOST_CANDIDATES = 2000;
const MOST_ANCESTORS = 8;
const MOST_CLIMBED = 40;
const MOST_PIECES = 4;
const MOST_AT_ONCE = 60; // operable elements of a page that is small

// Containers that a person would name: they are told with their role and name.
const CONTAINERS = new Set(
  `form dialog alertdialog navigation main banner contentinfo complementary region search article list listitem row table
  grid rowgroup tabpanel menu menubar toolbar tree treeitem group radiogroup figure feed`.split(/\s+/),
);
const CANDIDATES =
  'a[href],button,input:not([type=hidden]),select,textarea,summary,option,label,[role],[onclick],[contenteditable],[tabindex],[data-testid]';

/**
 * @typedef {object} Identified
 * @property {number} node
 * @property {string} role
 * @property {string} name
 * @property {string} tag
 * @property {string} testid
 * @property {string} id "" where a build has made it
 * @property {string} field the attribute `name`
 * @property {string} type
 * @property {string} href
 * @property {string} hint
 * @property {string} near
 * @property {string[]} within
 * @property {number[] | null} order
 * @property {number[]} box
 * @property {boolean} secret whether it is a field for secrets
 * @property {string} [selector] the best selector of only this element
 * @property {string[]} [shared] marks of it that other elements have, too
 * @property {boolean} [complete] whether `order` and `selector` were found out by looking at all elements
 */

/**
 * What identifies an element, with a selector for it if `withSelector`. Null if it is gone.
 *
 * On a page with many elements neither the order nor that the selector is the only one's is found out: that takes the names of all, and
 * an action waits for this answer. `identityAfter` does it behind the action.
 * @returns {Identified | null}
 */
export const identity = (id, withSelector) => {
  const element = nodeFor(id);
  if (!element || !isElement(element)) return null;
  const isSmall = document.querySelectorAll(CANDIDATES).length <= MOST_AT_ONCE;
  const told = describeElement(element, null);
  if (isSmall) told.order = ordinalOf(element, told);
  if (withSelector) told.selector = isSmall ? bestSelectorOf(element, id) : likelySelector(element);
  told.shared = sharedMarksOf(element);
  told.complete = isSmall;
  return told;
};
exported.identity = identity;

/** Return the marks that `identity` left out, for an element that is still there; null for one that is gone. */
exported.identityAfter = (id) => {
  const element = nodeFor(id);
  if (!element || !isElement(element)) return null;
  const told = describeElement(element, null);
  const order = ordinalOf(element, told);
  return { role: told.role, name: told.name, order, selector: bestSelectorOf(element, id) };
};

/**
 * Return the best selector of only this element. Instead of its place in the markup it names the row around by its text, and instead of a
 * name with a number, which may be a count, a mark without one.
 */
function bestSelectorOf(element, id) {
  const best = locator(id) || '';
  if (/^role=(?:link|button|tab|menuitem)\[.*\d/.test(best)) return selectorWithoutNumber(element) || best;
  return /^testid=|^role=/.test(best) || !/nth-of-type| > /.test(best) ? best : selectorInRow(element) || best;
}

/** Return a selector of only this element by its id, its field's name or its address; "" where these have numbers, too. */
function selectorWithoutNumber(element) {
  const tag = localNameOf(element);
  const own = attr(element, 'id') || '';
  const selectors = own && !isBuildMade(own) ? [`#${CSS.escape(own)}`] : [];
  for (const name of ['name', 'href']) {
    const value = attr(element, name);
    if (value && value !== '#') selectors.push(`${tag}[${name}=${inSelectorQuotes(value)}]`);
  }
  return selectors.find((selector) => !/\d|[?]/.test(selector) && isOnlyMatch(element, selector)) ?? '';
}

/** Return a selector that is likely to match only this element; whether it does is not checked. */
function likelySelector(element) {
  const testid = attr(element, 'data-testid');
  if (testid) return `testid=${inSelectorQuotes(testid)}`;
  const [role, name] = [roleOf(element), nameOf(element)];
  if (!role || !name || name.length > MOST_TEXT) return locator(idOf(element)) || '';
  const own = `role=${role}[name=${inSelectorQuotes(name)}]`;
  const row = closest(element, ROWS_AND_ITEMS);
  const [words] = row && row !== element ? rowTextsWithout(row, element) : [];
  return words ? `${localNameOf(row)}:has-text(${inSelectorQuotes(words)}) >> ${own}` : own;
}

/**
 * Return a selector by the row around, as `li:has-text("Quiet Kettle") >> role=button[name="Close"]`; "" for an element in no row, or
 * where the row's text does not tell it. A row itself: `li:has-text("Quiet Kettle")`.
 */
function selectorInRow(element) {
  const row = closest(element, ROWS_AND_ITEMS);
  const [role, name] = [roleOf(element), nameOf(element)];
  if (row === element) {
    const selectors = rowTextsWithout(row, null).slice(0, MOST_PIECES).map((words) =>
      `${localNameOf(row)}:has-text(${inSelectorQuotes(words)})`
    );
    return selectors.find((selector) => isOnlyMatch(element, selector)) ?? '';
  }
  if (!row || !role || !name || name.length > MOST_TEXT) return '';
  for (const words of rowTextsWithout(row, element).slice(0, MOST_PIECES)) {
    const rowSelector = `${localNameOf(row)}:has-text(${inSelectorQuotes(words)})`;
    const selector = `${rowSelector} >> role=${role}[name=${inSelectorQuotes(name)}]`;
    if (isOnlyMatch(element, selector)) return selector;
  }
  return '';
}

/** Return words in quotes, escaped for a selector. */
const inSelectorQuotes = (words) => `"${words.replace(/["\\]/g, '\\$&')}"`;

/** Return the texts of a row, piece by piece, without that of an element in it and without mere numbers. */
const rowTextsWithout = (row, element) =>
  piecesWithout(row, element).map(cleanText).filter((piece) =>
    piece.length > 1 && piece.length <= MOST_NEAR && /\p{L}/u.test(piece)
  );

/** Describe the element that has the focus in this document: the body where nothing has. @returns {Identified | null} */
exported.focusedIdentity = () => {
  const element = focusedIn(document) ?? bodyOf(document);
  return element ? describeElement(element, null) : null;
};

/**
 * Describe what identifies the elements that a selector matches, chosen as a command would.
 * @returns {Identified[]}
 */
exported.identitiesOf = (selector) => {
  const found = matchesFor(selector);
  const shown = found.filter(isVisible);
  return (shown.length ? shown : found).slice(0, 20).map((element) => describeElement(element, null));
};

/**
 * What identifies all elements that could be meant in the place of one with this tag and role.
 * @returns {Identified[]}
 */
exported.identityCandidates = (tag, role) => {
  const selector = /^[a-z][a-z0-9-]*$/.test(tag) ? `${CANDIDATES},${tag}` : CANDIDATES;
  const elements = [...openTreesOf(document)].flatMap((tree) => [...tree.querySelectorAll(selector)]);
  const candidates = elements.slice(0, MOST_CANDIDATES).filter(isVisible)
    .filter((element) => localNameOf(element) === tag || roleOf(element) === role || matches(element, CANDIDATES));
  const alike = Map.groupBy(candidates, (element) => `${roleOf(element)} ${withoutCount(nameForFlow(element))}`);
  const orders = new Map();
  for (const group of alike.values())
    group.forEach((element, place) => orders.set(element, [place + 1, group.length]));
  return candidates.map((element) => describeElement(element, orders.get(element)));
};

/** @returns {Identified} */
function describeElement(element, order) {
  const tag = localNameOf(element);
  const role = roleOf(element) || '';
  const own = attr(element, 'id') || '';
  const name = nameForFlow(element);
  const view = windowOf(documentOf(element));
  const { left, top, width, height } = rectOf(element);
  return {
    node: idOf(element),
    role,
    name,
    tag,
    testid: attr(element, 'data-testid') || '',
    id: isBuildMade(own) ? '' : own,
    field: attr(element, 'name') || '',
    type: tag === 'input' || tag === 'button' ? (attr(element, 'type') || '').toLowerCase() : '',
    href: tag === 'a' ? urlPathOf(attr(element, 'href') || '') : '',
    hint: cleanText(attr(element, 'placeholder') || attr(element, 'title') || '').slice(0, MOST_TEXT),
    near: textNearby(element, name),
    within: containersOf(element),
    order,
    box: [left + (view?.scrollX ?? 0), top + (view?.scrollY ?? 0), width, height],
    secret: isSecret(element),
  };
}

/** Return the name of an element for a flow: its accessible name, else its text. */
const nameForFlow = (element) =>
  cleanText(nameOf(element) || (isSecret(element) ? '' : textForIdentity(element))).slice(0, MOST_TEXT);

/** Return a name without counts in brackets: "Cart (3)" is "Cart (4)" after the next click. Years and codes are none: "(030) 12". */
const withoutCount = (name) => name.replace(COUNT, '').trim() || name;
const COUNT = /\s*\((?!(?:19|20)\d\d\))(?:0|[1-9][\d.,]*\+?)\)(?!\s*\d)/g;

const MARKS = { testid: 'data-testid', id: 'id', field: 'name', href: 'href' };

/** Return the marks that other elements of the document or shadow root have, too: they do not tell which one was meant. */
const sharedMarksOf = (element) =>
  Object.keys(MARKS).filter((mark) => {
    const value = attr(element, MARKS[mark]);
    return value && rootOf(element).querySelectorAll(`[${MARKS[mark]}="${CSS.escape(value)}"]`).length > 1;
  });

/** Return the text of an element that has no name; nothing of fields, whose text is their value. */
const textForIdentity = (element) =>
  matches(element, 'input,textarea,select,[contenteditable]')
    ? ''
    : textContentOf(element).slice(0, MOST_CONTAINER_TEXT);

/** Return a link's URL without query and fragment, which contain tokens, and differ from day to day; "?" at its end: it has one. */
const urlPathOf = (href) => href.replace(/[?#].*$/s, '').slice(0, MOST_TEXT) + (/^[^?#]+[?#]./s.test(href) ? '?' : '');

/** Return the text around an element that is neither its own nor its name: of the nearest ancestor that has more. */
function textNearby(element, name) {
  let climbed = 0;
  for (const ancestor of ancestorsOf(element)) {
    if (!isElement(ancestor) || ++climbed > MOST_ANCESTORS || ancestor === bodyOf(document)) break;
    const words = cleanText(textWithout(ancestor, element));
    const other = cleanText(name ? words.replace(name, ' ') : words);
    if (other) return other.slice(0, MOST_NEAR);
  }
  return '';
}

/** Return the text of an element without that of a part of it, with a blank between two pieces. */
const textWithout = (element, part) => piecesWithout(element, part).join(' ').slice(0, MOST_CONTAINER_TEXT);

const WITHOUT_TEXT = new Set(['script', 'style', 'template', 'noscript', 'textarea', 'select']);

/**
 * Return the texts in an element except those in a part of it.
 * @returns {string[]}
 */
function piecesWithout(element, part) {
  const pieces = [];
  let length = 0;
  const walker = newTreeWalker(
    document,
    element,
    NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT,
    (node) =>
      node === part || (isElement(node) && WITHOUT_TEXT.has(localNameOf(node)))
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
  );
  while (length < MOST_CONTAINER_TEXT && walker.nextNode()) {
    const node = walker.currentNode;
    if (isElement(node)) continue;
    pieces.push(dataOf(node));
    length += pieces.at(-1).length;
  }
  return pieces;
}

/**
 * Return the role and name of each container around an element that a person would name.
 * @returns {string[]}
 */
function containersOf(element) {
  const found = [];
  let climbed = 0;
  for (const ancestor of ancestorsOf(element)) {
    if (found.length >= MOST_ANCESTORS || ++climbed > MOST_CLIMBED) break;
    if (!isElement(ancestor)) continue;
    const role = localNameOf(ancestor) === 'form' ? 'form' : roleOf(ancestor);
    if (!role || !CONTAINERS.has(role)) continue;
    const name = cleanText(nameOf(ancestor)).slice(0, MOST_NEAR);
    found.push(name ? `${role} ${JSON.stringify(name)}` : role);
  }
  return found;
}

/**
 * Return [place, count] of an element among those with its tag, role and name, counted from 1; null where there are too many.
 * @param {Identified} told what `describeElement` says of it
 */
function ordinalOf(element, told) {
  const all = rootOf(element).querySelectorAll(CSS.escape(told.tag));
  if (all.length > MOST_EQUAL) return null;
  const name = withoutCount(told.name);
  const alike = [...all].filter((other) =>
    other === element
    || ((roleOf(other) || '') === told.role && withoutCount(nameForFlow(other)) === name && isVisible(other))
  );
  return [alike.indexOf(element) + 1, alike.length];
}

/** Whether a picture of this document would show a secret: one of these values, or the value of a field for secrets. */
exported.showsSecret = (values) => {
  const trees = [...openTreesOf(document)];
  const fields = trees.flatMap((tree) => [...tree.querySelectorAll('input,textarea')]);
  if (fields.some((field) => isSecret(field) && field.type !== 'password' && field.value && isVisible(field)))
    return true;
  const shown = fields.filter((field) => field.type !== 'password').map((field) => field.value);
  const inShadows = trees.slice(1).map((tree) => textContentOf(tree));
  const text = [bodyOf(document)?.innerText ?? '', ...inShadows, ...shown].join('\n');
  return values.some((value) => value && text.includes(value));
};

/** A selector of the frame element with this id, for the command `frame`: by an attribute, which other tools know, too. */
exported.frameSelector = (id) => {
  const element = nodeFor(id);
  if (!element || !matches(element, 'iframe,frame')) return '';
  const own = attr(element, 'id') || '';
  const selectors = own && !isBuildMade(own) ? [`#${CSS.escape(own)}`] : [];
  for (const name of ['name', 'title', 'aria-label', 'src']) {
    const value = attr(element, name);
    if (value && value.length <= MOST_TEXT)
      selectors.push(`${localNameOf(element)}[${name}=${inSelectorQuotes(value)}]`);
  }
  return selectors.find((selector) => isOnlyMatch(element, selector)) ?? (locator(id) || '');
};
