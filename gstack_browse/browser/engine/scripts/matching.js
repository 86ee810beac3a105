// Which elements selectors and descriptions mean, and how a reply tells one from another.

import { childElementCountOf, closest, documentOf, localNameOf, matches, textContentOf } from './engine-accessors.js';
import { contentName } from './engine-contents.js';
import { attr, cleanText, exported, isElement, openShadowRootOf, parentOf } from './engine-dom.js';
import { idOf, nodeFor, takeNotedNodes } from './engine-table.js';
import { nameOf } from './engine-names.js';
import { isVisible } from './visible.js';

/**
 * @typedef {object} Noted
 * @property {number} id
 * @property {string} text
 * @property {string} [place]
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
  return told(by ? bestOf(found, by) : found);
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
  allIn(by, 'label').filter((label) => label.control && isVisible(label) && says(cleanText(wordsIn(label)), by))
    .map((label) => label.control);

function says(name, { label, exact }) {
  const wanted = cleanText(label);
  return exact ? name === wanted : name.toLowerCase().includes(wanted.toLowerCase());
}

function allIn({ inside }, selector) {
  const root = inside ? nodeFor(inside) : document;
  if (!root) return [];
  const own = isElement(root) ? openShadowRootOf(root) : null;
  const trees = own ? [...treesOf(root), ...treesOf(own)] : [...treesOf(root)];
  return trees.flatMap((tree) => [...tree.querySelectorAll(selector)]);
}

/** What can be seen, before what is hidden; of that what says the words and nothing else, before what also says them. */
function bestOf(elements, { words, of }) {
  const shown = only(elements, isVisible);
  if (!words || shown.length < 2) return shown;
  const wanted = cleanText(words);
  const folded = wanted.toLowerCase();
  const said = SAID[of];
  return only(
    only(shown, (element) => said(element).toLowerCase() === folded),
    (element) => said(element) === wanted,
  );
}

function only(elements, condition) {
  const found = elements.filter(condition);
  return found.length ? found : elements;
}

const attributeOf = (name) => (element) => cleanText(attr(element, name) || '');

/** What an element says in each of the ways to look for words. */
const SAID = {
  text: (element) => cleanText(localNameOf(element) === 'input' ? element.value : textContentOf(element)),
  label: (element) => cleanText(nameOf(element)),
  placeholder: attributeOf('placeholder'),
  alt: attributeOf('alt'),
  title: attributeOf('title'),
};

/** Whether a snapshot prints that name of the element. Giving it an id tells the engine of a shadow tree that nothing has walked. */
exported.isNamed = (element, words) => isElement(element) && idOf(element) > 0 && cleanText(nameOf(element)) === words;

/** Whether the words are in that name, in letters of either case. */
exported.isNamedWith = (element, words) =>
  isElement(element) && idOf(element) > 0 && cleanText(nameOf(element)).toLowerCase().includes(words.toLowerCase());

/** Whether that is the text of the element, in the letters in which it is shown. */
exported.isWorded = (element, words) => isElement(element) && cleanText(exported.text(idOf(element))) === words;

/**
 * What a plain CSS selector matches, in the document and its open shadow roots, as `takeNoted` tells it; null for
 * anything that needs Playwright's selector engines: their prefixes, chains and pseudo-classes, and combinators
 * that may have to reach across a shadow boundary.
 */
exported.matches = (selector) => {
  const found = matchesOf(selector);
  return found && told(found);
};

/** @returns {Noted[]} */
function told(elements) {
  /** @type {Noted[]} */
  const found = elements.slice(0, 50).map((element) => ({ id: idOf(element), text: lookOf(element) }));
  found.forEach((item, index) => {
    const isUnlikeOthers = found.every((other) => other === item || other.text !== item.text);
    if (found.length > 1 && index < 10) item.place = whereabouts(elements[index], isUnlikeOthers);
  });
  return found;
}

const PLACES =
  'li,tr,dialog,nav,main,aside,header,footer,section,article,form,fieldset,[role=row],[role=listitem],[role=dialog],[role=region]';

/** What tells an element from others that look alike: that it cannot be seen, and what it is in. */
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
 * Find an element and ask it, in one: `which` is `{ selector, first }`, or `{ node }` for a reference, with the
 * id of its node. Answers `{ id, answer }`, where `answer` is what `exported[question](id, ...args)` says;
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
    if (!found.length || (found.length > 1 && !which.first)) return { matches: told(found) };
    element = found[0];
  }
  const id = idOf(element);
  return { id, answer: exported[question](id, ...args) };
};

/** What `ask` answers to each of several lists of arguments; null where it fails, which whoever asks that alone will hear. */
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
  for (const element of root.querySelectorAll('*')) {
    const inner = openShadowRootOf(element);
    if (inner) yield* treesOf(inner);
  }
}

const classesOf = (element) => (attr(element, 'class') || '').split(/\s+/).filter(Boolean);

/** `<button id="go" class="primary">` "Go": enough to recognise an element by. */
function lookOf(element) {
  const tag = localNameOf(element);
  const parts = [tag];
  const id = attr(element, 'id');
  const classes = classesOf(element);
  if (id) parts.push(`#${id.slice(0, 40)}`);
  else if (classes.length) parts.push(`.${classes.slice(0, 2).join('.').slice(0, 40)}`);
  const label = (nameOf(element) || cleanText(wordsIn(element).slice(0, 300))).trim().slice(0, 60);
  return label ? `<${parts.join('')}> "${label}"` : `<${parts.join('')}>`;
}

/** The text in an element as a person reads it: only what is shown, and the words of two blocks apart. */
function wordsIn(element) {
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
