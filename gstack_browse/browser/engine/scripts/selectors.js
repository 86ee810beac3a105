// Finds the elements that a selector means: the parts that selector-syntax.js has read, one after the other.
//
// Names and texts are compared as the markup writes them and, where nothing is found so, as a snapshot prints them: in the letters that
// `text-transform` makes, with a blank for a line break, and with the browser's own words on a button.

import {
  childElementCountOf,
  dataOf,
  documentOf,
  evaluateXPath,
  firstChildOf,
  localNameOf,
  matches,
  nodeTypeOf,
  openShadowRootIn,
  parentNodeOf,
  previousElementOf,
  queryInDocument,
  rootElementOf,
  textContentOf,
} from './engine-accessors.js';
import { contentName, inWrittenLetters } from './engine-contents.js';
import {
  attr,
  childrenOf,
  cleanText,
  exported,
  foldedText,
  isElement,
  isText,
  openShadowRootOf,
  printedForm,
  queryAllIn,
  referenced,
  siblingsFrom,
} from './engine-dom.js';
import { idOf } from './engine-table.js';
import { isHidden } from './engine-hidden.js';
import { labelsOf } from './engine-relations.js';
import { nameOf } from './engine-names.js';
import { roleOf } from './engine-roles.js';
import { describedAs, isSecret, statesOf } from './engine-states.js';
import { BY_ATTRIBUTE, parseSelector } from './selector-syntax.js';
import { DEEPEST, hasRun, isSilent, isTextButton, spaced, WrittenText } from './selector-text.js';
import { isVisible } from './visible.js';

/** The document or element, and the open shadow trees in it: each tree before those inside of it. */
function* treesOf(root) {
  yield root;
  const own = isElement(root) ? openShadowRootOf(root) : null;
  if (own) yield* treesOf(own);
  for (const element of queryAllIn(root, '*')) {
    const inner = openShadowRootOf(element);
    if (inner) yield* treesOf(inner);
  }
}

const allBelow = (root) => [...treesOf(root)].flatMap((tree) => [...queryAllIn(tree, '*')]);

/**
 * All elements that a selector matches below `root`, each tree in its order and open shadow trees behind the tree that they are in; and by
 * which words a person means them, if by any: `of` says where these stand, and `words` is "" for exact ones.
 *
 * @returns {{ found: Element[], by: { words: string, of: string } | null }}
 */
function resolve(selector, root = document) {
  const parts = parseSelector(selector);
  const written = new Resolution(false).follow(parts, root);
  const found = written.length || !parts.some(isPrintedOtherwise) ? written : new Resolution(true).follow(parts, root);
  return { found, by: soughtWords(parts[parts.length - 1]) };
}

/** Resolve a selector by the markup alone, as other programs do. */
function resolveAsWritten(selector) {
  const parts = parseSelector(selector);
  return { found: new Resolution(false).follow(parts, document), by: soughtWords(parts[parts.length - 1]) };
}

const isPrintedOtherwise = ({ engine, pattern, attributes }) =>
  engine === 'text' && pattern === null || engine === 'label' || attributes.some(({ key }) => key === 'name');

const MEAN_WHAT_IS_SEEN = new Set(['text', 'label', 'placeholder', 'alt', 'title']);

function soughtWords({ engine, words, exact }) {
  if (engine === 'role') return { words: '', of: 'text' };
  return MEAN_WHAT_IS_SEEN.has(engine) ? { words: exact ? '' : words, of: engine } : null;
}

/** One search. `isPrinted`: words mean what a snapshot prints, else what the markup says. */
class Resolution {
  constructor(isPrinted) {
    this.isPrinted = isPrinted;
    this.text = new WrittenText();
  }

  follow(parts, root) {
    const target = parts.findIndex((part) => part.isTarget);
    const [wanted, inside] = target < 0 ? [parts, []] : [parts.slice(0, target + 1), parts.slice(target + 1)];
    let roots = [root];
    for (const part of wanted) roots = this.step(part, roots);
    return inside.length === 0 ? roots : roots.filter((each) => this.follow(inside, each).length > 0);
  }

  step(part, roots) {
    if (part.engine === 'nth') {
      const only = roots.at(Number(part.body));
      return only && isElement(only) ? [only] : [];
    }
    if (part.engine === 'visible')
      return roots.filter((each) => isElement(each) && isVisible(each) === (part.body === 'true'));
    const found = roots.map((root) => this.below(part, root));
    return found.length === 1 ? found[0] : [...new Set(found.flat())];
  }

  below(part, root) {
    switch (part.engine) {
      case 'css':
        return this.byCss(part.list, root);
      case 'xpath':
        return byXPath(part.body, root);
      case 'text':
        return part.pattern === null && this.isPrinted ? byPrintedText(part, root) : this.byText(part, root);
      case 'role':
        return this.byRole(part, root);
      case 'label':
        return this.byLabel(part, root);
      default:
        return byAttribute(part, root);
    }
  }

  /** The innermost elements that say the words, or match the pattern; each one of which a run of text is just the words, if they are exact. */
  byText({ words, exact, pattern }, root) {
    const found = [];
    const wanted = exact ? spaced(words) : spaced(words).toLowerCase();
    const fits = pattern === null
      ? (node) => this.text.has(node, wanted)
      : (node) => pattern.test(this.text.full(node));
    for (const element of isElement(root) ? [root, ...allBelow(root)] : allBelow(root)) {
      if (exact ? !isSilent(element) && hasRun(element, wanted) : this.isInnermost(element, fits)) found.push(element);
    }
    return found;
  }

  isInnermost(element, fits) {
    if (isSilent(element) || !fits(element)) return false;
    const shadow = openShadowRootIn(element);
    if (shadow !== null && fits(shadow)) return false;
    for (const child of siblingsFrom(firstChildOf(element))) if (isElement(child) && fits(child)) return false;
    return true;
  }

  byRole({ role, attributes }, root) {
    const withHidden = attributes.some(({ key, value }) => key === 'include-hidden' && value === 'true');
    return allBelow(root).filter((element) =>
      roleOf(element) === role && (withHidden || !isHidden(element))
      && attributes.every((each) => this.says(element, role, each))
    );
  }

  /** Whether an element says what an attribute of `role=` asks for. */
  says(element, role, attribute) {
    if (attribute.key === 'include-hidden') return true;
    if (attribute.key === 'name') {
      const tell = () => nameOf(element, role);
      return isSaid(this.isPrinted ? tell() : inWrittenLetters(tell), attribute, this.isPrinted ? printedForm : spaced);
    }
    if (attribute.key === 'description') return isSaid(describedAs(element), attribute, spaced);
    return printedStateOf(element, role, attribute.key) === attribute.value;
  }

  /** Fields by their labels, and other elements by the names that ARIA gives them. */
  byLabel({ words, exact }, root) {
    const says = (text) =>
      this.isPrinted
        ? isSaidBy(text, words, exact)
        : exact
        ? spaced(text) === words
        : spaced(text).toLowerCase().includes(spaced(words).toLowerCase());
    if (!words) return [];
    const found = allBelow(root).filter((element) => {
      const texts = this.labelTexts(element);
      return texts.some(says) || this.isPrinted && texts.length > 0 && isSaidBy(nameOf(element), words, exact);
    });
    return found.length || !this.isPrinted ? found : labelledToTheEye(root, words, exact);
  }

  labelTexts(element) {
    const about = referenced(element, 'aria-labelledby');
    if (about.length) return about.map((label) => this.text.full(label));
    const own = attr(element, 'aria-label');
    if (own?.trim()) return [own];
    const labels = labelsOf(element);
    const texts = Array.from(labels, (label) => this.text.full(label));
    return labels.some((label) => queryAllIn(label, 'slot').length > 0) ? [...texts, nameOf(element)] : texts; // a slot holds words of the host
  }

  /** `scope`: the element, or the document, in which to look. */
  byCss(list, scope) {
    const [, shadow] = treesOf(scope);
    if (nodeTypeOf(scope) === 9 && !shadow && !list.some(({ isOwn }) => isOwn)) {
      try {
        return [...queryInDocument(scope, list.map(({ source }) => source).join())];
      } catch {
        // CSS knows no :has() in another one; we do
      }
    }
    const found = list.map((complex) => this.byComplex(complex, scope));
    if (found.length === 1) return found[0];
    const all = new Set(found.flat());
    return inOrder(isElement(scope) ? parentThroughShadow(scope) ?? scope : scope).filter((element) =>
      all.has(element)
    );
  }

  /** Nothing at `edge` or around it is matched, but for a scope itself, as `:scope`. */
  byComplex(complex, scope) {
    const { steps } = complex;
    const isBeside = isElement(scope) && isScope(steps[0]) && (steps.length === 1 || /[+~]/.test(steps[0].joint));
    const edge = isElement(scope) && steps.some(isScope) ? parentThroughShadow(scope) : scope;
    const from = isBeside && edge !== null ? edge : scope;
    return [...treesOf(from)].flatMap((tree) => [...queryAllIn(tree, steps.at(-1).css || '*')])
      .filter((element) => this.matchesComplex(element, complex, { scope, edge }));
  }

  matchesComplex(element, complex, context, at = complex.steps.length - 1) {
    const { css, own } = complex.steps[at];
    if (element === context.edge || css !== '' && !matches(element, css)) return false;
    return own.every((each) => this.matchesOwn(element, each, context))
      && (at === 0 || this.isJoined(element, complex, context, at - 1));
  }

  /** Whether what stands before an element, or around it, matches the steps up to `at`. */
  isJoined(element, complex, context, at) {
    const { joint } = complex.steps[at];
    const next = joint === '+' || joint === '~' ? previousElementOf : parentThroughShadow;
    for (let each = next(element); each !== null && each !== context.edge; each = next(each)) {
      if (this.matchesComplex(each, complex, context, at)) return true;
      if (joint === '>' || joint === '+') return false;
    }
    return false;
  }

  matchesOwn(element, { name, args }, context) {
    switch (name) {
      case 'is':
      case 'where':
        return args.some((each) => this.matchesComplex(element, each, context));
      case 'not':
        return !args.some((each) => this.matchesComplex(element, each, context));
      case 'has':
        return args.some((each) => this.byComplex(each, element).length > 0);
      case 'nth-match':
        return this.byCss(args.slice(0, -1), context.scope)[args.at(-1) - 1] === element;
      case 'scope':
        return element === (isElement(context.scope) ? context.scope : rootElementOf(documentOf(element)));
      case 'visible':
        return isVisible(element);
      case 'has-text':
        return !isSilent(element) && this.text.has(element, spaced(args[0]).toLowerCase());
      case 'text':
        return this.isInnermost(element, (node) => this.text.has(node, spaced(args[0]).toLowerCase()));
      case 'text-is':
        return !isSilent(element) && hasRun(element, spaced(args[0]));
      default: {
        const pattern = new RegExp(args[0], args[1]);
        return this.isInnermost(element, (node) => pattern.test(this.text.full(node)));
      }
    }
  }
}

const isScope = ({ own }) => own.some(({ name }) => name === 'scope');

function parentThroughShadow(element) {
  const parent = parentNodeOf(element);
  if (parent === null) return null;
  return isElement(parent) ? parent : nodeTypeOf(parent) === 11 ? parent.host ?? null : null;
}

/** All elements below a root: each before what is in it, and its open shadow tree behind that. */
function inOrder(root) {
  const found = [];
  const waiting = [root];
  while (waiting.length) {
    const node = waiting.pop();
    if (isElement(node) && node !== root) found.push(node);
    const inner = isElement(node) ? openShadowRootIn(node) : null;
    if (inner) waiting.push(inner);
    waiting.push(...[...siblingsFrom(firstChildOf(node))].filter(isElement).reverse());
  }
  return found;
}

function byXPath(path, root) {
  const own = path.startsWith('/') && nodeTypeOf(root) !== 9 ? `.${path}` : path;
  let nodes;
  try {
    nodes = evaluateXPath(documentOf(root) ?? root, own, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  } catch {
    throw new Error(`Not a selector: ${JSON.stringify(path)} is no XPath of nodes`);
  }
  return Array.from({ length: nodes.snapshotLength }, (_, place) => nodes.snapshotItem(place)).filter(isElement);
}

function byAttribute({ engine, words, exact }, root) {
  const name = BY_ATTRIBUTE[engine];
  const isWhole = exact || name === 'id' || name.startsWith('data-');
  const value = CSS.escape(words);
  return [...treesOf(root)].flatMap((
    tree,
  ) => [...queryAllIn(tree, isWhole ? `[${name}="${value}"]` : `[${name}*="${value}" i]`)]);
}

/** Whether a text is, contains, begins or ends with what an attribute of `role=` asks for. */
function isSaid(text, { operator, value, anyCase }, form) {
  if (value instanceof RegExp) return value.test(spaced(text));
  const fold = (letters) => anyCase ? form(letters).toUpperCase() : form(letters);
  const [said, wanted] = [fold(text), fold(value)];
  switch (operator) {
    case '*=':
      return said.includes(wanted);
    case '^=':
      return said.startsWith(wanted);
    case '$=':
      return said.endsWith(wanted);
    case '|=':
      return said === wanted || said.startsWith(`${wanted}-`);
    case '~=':
      return said.split(' ').includes(wanted);
    default:
      return said === wanted;
  }
}

/** A state of an element as snapshots print it, by the name and the values that selectors have for it. */
function printedStateOf(element, role, key) {
  const states = statesOf(element, role, localNameOf(element));
  if (key === 'level') return states.find((state) => state.startsWith('level='))?.slice(6) ?? '0';
  if (key === 'expanded') return states.includes('expanded') ? 'true' : states.includes('collapsed') ? 'false' : '';
  return states.includes(`${key}=mixed`) ? 'mixed' : String(states.includes(key));
}

const isSaidBy = (text, words, exact) =>
  exact ? printedForm(text) === printedForm(words) : foldedText(text).includes(foldedText(words));

/** Fields whose visible label says the words, though their name is another one. */
const labelledToTheEye = (root, words, exact) =>
  [...treesOf(root)].flatMap((tree) => [...queryAllIn(tree, 'label')])
    .filter((label) => label.control && isVisible(label) && isSaidBy(cleanText(wordsIn(label)), words, exact))
    .map((label) => label.control);

const WITHOUT_TEXT = new Set(['script', 'style', 'noscript', 'template', 'head']);

/** The innermost elements whose text, as `text` prints it, or whose name contains these words, or is just these. */
function byPrintedText({ words, exact }, root) {
  const letters = bareLettersOf(words);
  const found = [];
  const isMatch = (element) =>
    isSaidBy(exported.text(idOf(element)), words, exact) || isSaidBy(nameOf(element), words, exact);
  /**
   * Search a node and what is in it. Returns its letters, which are compared first: the printed text is dear. An element around a match is no
   * match itself.
   */
  const search = (node, depth) => {
    let inside = isElement(node) && isTextButton(node) ? bareLettersOf(nameOf(node)) : '';
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
  return found;
}

/** Text without blanks and upper case: how a page breaks lines makes no difference. */
const bareLettersOf = (text) => foldedText(text).replace(/\s/g, '');

/** The text in an element as a person reads it: only what is shown, and the words of two blocks apart. */
function wordsIn(element) {
  if (isSecret(element)) return ''; // of a text area it would be the value
  return childElementCountOf(element) === 0
    ? textContentOf(element)
    : contentName(element, { left: 300, visited: new Set([element]) }, {});
}

export { resolve, resolveAsWritten, treesOf, wordsIn };
