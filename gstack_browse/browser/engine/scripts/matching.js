// Which elements selectors and descriptions mean, and how a reply tells one from another.

import {
  childElementCountOf,
  closest,
  dataOf,
  documentOf,
  localNameOf,
  matches,
  textContentOf,
} from './engine-accessors.js';
import { contentName } from './engine-contents.js';
import {
  attr,
  childrenOf,
  cleanText,
  exported,
  foldedText,
  isElement,
  isText,
  openShadowRootOf,
  parentOf,
  printedForm,
  queryAllIn,
} from './engine-dom.js';
import { idOf, nodeFor, takeNotedNodes } from './engine-table.js';
import { nameOf } from './engine-names.js';
import { isHidden } from './engine-hidden.js';
import { roleOf } from './engine-roles.js';
import { keepRecord, saysPrintedTexts } from './records.js';
import { SEEN, sightWithin } from './engine-unseen.js';
import { isSecret } from './engine-states.js';
import { isVisible } from './visible.js';

/**
 * @typedef {object} Noted
 * @property {number} id
 * @property {string} text
 * @property {string} [place]
 * @property {boolean} visible
 * @property {boolean} [isPart] whether the words are only a part of what it says
 */

/**
 * @typedef {object} Candidate
 * @property {number} id
 * @property {string} name
 * @property {string[]} words
 * @property {boolean} operable
 * @property {string} text
 */

/**
 * Node ids and short descriptions of what was noted under `key`; forgets the key. Where it was found by what a person
 * sees (`by` is { words, of, label, exact, inside }, see find.py), only the best of it.
 */
exported.takeNoted = (key, by) => {
  const noted = takeNotedNodes(key).filter(isElement);
  const labelled = by?.label ? [...new Set([...noted, ...labelledBySlots(by)])] : noted;
  const found = by?.label && labelled.length === 0 ? labelledToTheEye(by) : labelled;
  if (!by) return told(found);
  const best = bestOf(found, by);
  return told(best).map((item, index) => ({ ...item, isPart: Boolean(by.words) && !saysOnly(best[index], by) }));
};

/**
 * Fields whose label has the words in a slot: of a host's own content Playwright's engine reads nothing in the label.
 * `inside` is the id of the node to look in, or 0.
 */
function labelledBySlots(by) {
  const labels = new Set(allIn(by, 'label slot').map((slot) => closest(slot, 'label')));
  const fields = [...labels].map((each) => each.control).filter(Boolean);
  return fields.filter((field) => says(cleanText(nameOf(field)), by));
}

/** Fields whose label says the words, and that call themselves otherwise: a person sees the label. */
const labelledToTheEye = (by) =>
  allIn(by, 'label').filter((label) =>
    label.control && isVisible(label) && (says(cleanText(wordsIn(label)), by) || says(nameOf(label.control), by))
  )
    .map((label) => label.control);

const says = (name, { label, exact }) =>
  exact ? printedForm(name) === printedForm(label) : foldedText(name).includes(foldedText(label));

function allIn({ inside }, selector) {
  const root = inside ? nodeFor(inside) : document;
  if (!root) return [];
  const own = isElement(root) ? openShadowRootOf(root) : null;
  const trees = own ? [...treesOf(root), ...treesOf(own)] : [...treesOf(root)];
  return trees.flatMap((tree) => [...tree.querySelectorAll(selector)]);
}

/**
 * The best of some matches: visible ones if there are any, of these ones within the page's edges, then ones that say the words and nothing else
 * in any case of letters, then in just this case. A step that leaves none is skipped.
 */
function bestOf(elements, { words, of }) {
  const shown = only(only(elements, isVisible), isOnPage);
  if (!words || shown.length < 2) return shown;
  return only(
    only(shown, (element) => saysOnly(element, { words, of })),
    (element) => printedForm(SAID[of](element)) === printedForm(words),
  );
}

const isOnPage = (element) => sightWithin(element) === SEEN;

/** Whether an element says the words and nothing else; upper and lower case are the same. */
const saysOnly = (element, { words, of }) => foldedText(SAID[of](element)) === foldedText(words);

/** The elements for which a condition holds, or all if it holds for none. */
function only(elements, condition) {
  const found = elements.filter(condition);
  return found.length ? found : elements;
}

const attributeOf = (name) => (element) => cleanText(attr(element, name) || '');

/** The text of an element for each way to search for words. */
const SAID = {
  text: (element) => cleanText(localNameOf(element) === 'input' ? element.value : textContentOf(element)),
  label: (element) => cleanText(nameOf(element)),
  placeholder: attributeOf('placeholder'),
  alt: attributeOf('alt'),
  title: attributeOf('title'),
};

/** Whether a snapshot prints that name of the element. Giving it an id tells the engine of a shadow tree that nothing has walked. */
exported.isNamed = (element, words) =>
  isElement(element) && idOf(element) > 0 && printedForm(nameOf(element)) === printedForm(words);

/** Whether that name contains the words; upper and lower case are the same. */
exported.isNamedWith = (element, words) =>
  isElement(element) && idOf(element) > 0 && foldedText(nameOf(element)).includes(foldedText(words));

/** The elements below a node that have a role and are not hidden. */
exported.role = (root, role) =>
  [...treesOf(root)].flatMap((tree) => [...queryAllIn(tree, '*')])
    .filter((element) => roleOf(element) === role && !isHidden(element)).map(idOf);

/** The innermost elements below a node whose text, as `text` prints it, or whose name is just these words. */
exported.textIs = (root, words) => innermostSaying(root, words, (text) => printedForm(text) === printedForm(words));

/** The innermost elements below a node whose text or name contains these words; upper and lower case are the same. */
exported.textHas = (root, words) =>
  innermostSaying(root, words, (text) => foldedText(text).includes(foldedText(words)));

const DEEPEST = 700; // levels: deeper recursion could exhaust the stack
const WITHOUT_TEXT = new Set(['script', 'style', 'noscript', 'template', 'head']);

/** The innermost elements whose text or name `fits`. First compares raw letters, which is cheap: the printed text is read only where those contain the words'. */
function innermostSaying(root, words, fits) {
  const letters = bareLettersOf(words);
  const found = [];
  const isMatch = (element) => {
    const id = idOf(element);
    return fits(exported.text(id)) || fits(nameOf(element));
  };
  /** Search a node and what is in it. Returns its letters. An element around a match is no match itself. */
  const search = (node, depth) => {
    let inside = '';
    const before = found.length;
    for (const child of childrenOf(node)) {
      if (isText(child)) inside += bareLettersOf(dataOf(child));
      else if (isElement(child) && depth < DEEPEST && !WITHOUT_TEXT.has(localNameOf(child)))
        inside += search(child, depth + 1);
    }
    if (found.length > before || !isElement(node) || !inside.includes(letters)) return inside;
    if (isMatch(node)) found.push(node);
    return inside;
  };
  if (letters) search(root, 0);
  return found.map(idOf);
}

/** Text without blanks and upper case: how a page breaks lines makes no difference. */
const bareLettersOf = (text) => foldedText(text).replace(/\s/g, '');

/**
 * The elements that a plain CSS selector matches, in the document and its open shadow roots, as `takeNoted` tells them. Null for anything
 * that needs Playwright's selector engines: their prefixes, chains and pseudo-classes, and combinators that may have to reach across a
 * shadow boundary.
 */
exported.matches = (selector) => {
  const found = matchesOf(selector);
  return found && told(found);
};

/** @returns {Noted[]} */
function told(elements) {
  /** @type {Noted[]} */
  const found = elements.slice(0, 50).map((element) => ({
    id: idOf(element),
    text: lookOf(element),
    visible: isVisible(element),
  }));
  found.forEach((item, index) => {
    const isUnlikeOthers = found.every((other) => other === item || other.text !== item.text);
    if (found.length > 1 && index < 10) item.place = whereabouts(elements[index], isUnlikeOthers);
  });
  return found;
}

const PLACES =
  'li,tr,dialog,nav,main,aside,header,footer,section,article,form,fieldset,[role=row],[role=listitem],[role=dialog],[role=region]';

/** Marks that tell an element from others that look alike: that it is hidden, and its container. */
function whereabouts(element, isUnlikeOthers) {
  const words = isVisible(element) ? [] : ['(hidden)'];
  const parent = isUnlikeOthers ? null : parentOf(element);
  const place = parent && isElement(parent) ? closest(parent, PLACES) : null;
  return [...words, ...(place ? [`in ${lookOf(place)}`] : [])].join(' ');
}

function matchesOf(selector) {
  if (/^\s*(?:[\w+:*-]+=|\/\/|\.\.|["'(])|>>/.test(selector)) return null;
  const trees = [...treesOf(document)];
  if (trees.length > 1 && /[\s>+~,]/.test(selector.trim())) return null;
  try {
    return trees.flatMap((tree) => [...tree.querySelectorAll(selector)]);
  } catch {
    return null; // not CSS, or CSS as Playwright extends it
  }
}

/**
 * Find an element and ask it, in one: `which` is `{ selector, first }`, or `{ node, printed }` for a reference, with the
 * id of its node, and what was printed of its record where an action is asked for. Answers `{ id, answer }`, where `answer` is what
 * `exported[question](id, ...args)` says; `{ id, changed }`, and asks nothing, where that record says something else now;
 * `{ matches }`, as `matches` tells them, when there is not exactly one (or, with `first`, none); and null where
 * Playwright has to look, or the node is not in this very document.
 */
exported.ask = (which, question, ...args) => {
  let element = null;
  if (which.node) {
    element = nodeFor(which.node);
    if (!element || documentOf(element) !== document) return null;
  } else {
    const found = matchesOf(which.selector);
    if (!found) return null;
    element = which.first && !ABOUT_VISIBLE.has(question) ? found[0] : pickVisible(found, which.first);
    if (!element) return { matches: told(found) };
  }
  const id = idOf(element);
  if (which.printed && !saysPrintedTexts(element, which.printed)) return { id, changed: true };
  if (ACTIONS.has(question)) keepRecord(element);
  return { id, answer: exported[question](id, ...args) };
};

/** Looks that an action follows. */
const ACTIONS = new Set(['probe', 'fieldLook']);

/** Questions that are about a visible element if several match and one is visible, even where the first one counts otherwise. */
const ABOUT_VISIBLE = new Set(['states', 'shape']);

/** Pick the only element, or the only visible one; null if there are several. With `first`: the first visible one, or else the first. */
function pickVisible(elements, first) {
  if (elements.length < 2) return elements[0];
  const shown = elements.filter(isVisible);
  return first ? shown[0] ?? elements[0] : shown.length === 1 ? shown[0] : null;
}

/** The answers of `ask` to several lists of arguments; null if one fails. To see the error, ask that one alone. */
exported.askEach = (questions) =>
  questions.map((question) => {
    try {
      return exported.ask(...question);
    } catch {
      return null;
    }
  });

/** The document and the open shadow roots in it. */
function* treesOf(root) {
  yield root;
  for (const element of queryAllIn(root, '*')) {
    const inner = openShadowRootOf(element);
    if (inner) yield* treesOf(inner);
  }
}

const classesOf = (element) => (attr(element, 'class') || '').split(/\s+/).filter(Boolean);

const UNSAFE_IN_MARK = /[\s<>"\\]+/g; // a page could end our `<…>` by such a character in an id or a class

/** `<button#go>` "Go": enough to recognise an element by. */
function lookOf(element) {
  const tag = localNameOf(element);
  const id = attr(element, 'id');
  const classes = classesOf(element);
  const which = id ? `#${id}` : classes.length ? `.${classes.slice(0, 2).join('.')}` : '';
  const shown = `<${tag.slice(0, 40)}${which.slice(0, 41).replace(UNSAFE_IN_MARK, '_')}>`;
  const label = (nameOf(element) || cleanText(wordsIn(element).slice(0, 300))).trim().slice(0, 60);
  return label ? `${shown} "${label.replace(/["\\]/g, '\\$&')}"` : shown;
}

/** The text in an element as a person reads it: only what is shown, and the words of two blocks apart. */
function wordsIn(element) {
  if (isSecret(element)) return ''; // of a text area it would be the value
  return childElementCountOf(element) === 0
    ? textContentOf(element)
    : contentName(element, { left: 300, visited: new Set([element]) }, {});
}

/** How many elements a plain selector matches; null where Playwright has to count. */
exported.matchCount = (selector) => matchesOf(selector)?.length ?? null;

/**
 * Operable elements and how they could be named, for "did you mean".
 * @returns {Candidate[]}
 */
exported.candidates = () => {
  const found = [];
  const selector = 'a[href],button,input,select,textarea,summary,[role],[onclick],[contenteditable],[id]';
  for (const element of [...treesOf(document)].flatMap((tree) => [...tree.querySelectorAll(selector)])) {
    if (found.length >= 400) break;
    if (!isVisible(element)) continue;
    found.push({
      id: idOf(element),
      name: nameOf(element).trim().slice(0, 80),
      words: [attr(element, 'id') || '', ...classesOf(element).slice(0, 5)],
      operable: matches(element, 'a[href],button,input,select,textarea,summary,[role=button],[role=link],[onclick]'),
      text: lookOf(element),
    });
  }
  return found;
};

export { lookOf };
