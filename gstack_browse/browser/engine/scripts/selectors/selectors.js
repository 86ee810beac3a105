// Finds the elements that match a selector, which syntax.js has parsed into a chain of parts.

import { contentName, ignoringTextTransform } from '../accname/contents.js';
import { kindOf } from '../accname/kinds.js';
import { labelsOf, nameOf } from '../accname/names.js';
import { roleOf } from '../accname/roles.js';
import { descriptionOrTooltipOf, isSecret, statesOf } from '../accname/states.js';
import {
  childElementCountOf,
  containsNode,
  dataOf,
  documentOf,
  evaluateXPath,
  firstChildOf,
  headOf,
  localNameOf,
  matches,
  nodeTypeOf,
  openShadowRootIn,
  parentNodeOf,
  previousElementOf,
  queryInDocument,
  rootElementOf,
  textContentOf,
} from '../dom/accessors.js';
import {
  attr,
  childrenOf,
  cleanText,
  closestWhere,
  foldedText,
  isElement,
  isText,
  nfkcText,
  openTreesOf,
  queryAllIn,
  referencedElements,
  siblingsFrom,
  withoutLabelMarks,
  wordSet,
} from '../dom/dom.js';
import { idOf } from '../dom/node-table.js';
import { isVisible } from '../layout/visible.js';
import { MAX_TEXT_DEPTH, readVisibleText } from '../read/text.js';
import { NAMING_ATTRIBUTES } from './records.js';
import { BY_ATTRIBUTE, parseSelector } from './syntax.js';
import { isHidden } from '../visibility/hidden.js';

/** Return the elements below a root, open shadow trees included. */
const descendantsThroughShadow = (root) => [...openTreesOf(root)].flatMap((tree) => [...queryAllIn(tree, '*')]);

/**
 * What text the last part of a selector compares. `kind`: "text", "label", "placeholder", "alt" or "title"; `words`: "" if they are exact
 * or the part is a role.
 * @typedef {{ kind: string, words: string }} TextCriterion
 */

/**
 * Find all elements below `root` that match a selector. Compare words with the markup first, and if that finds nothing with what snapshots
 * print.
 *
 * `found` is in document order; elements of open shadow trees follow those of the tree around them. `criterion`: what text the last part of
 * the selector compares; null for CSS, XPath and the like.
 *
 * @returns {{ found: Element[], criterion: TextCriterion | null }}
 */
export function resolveSelector(selector, root = document) {
  const parts = parseSelector(selector);
  const byMarkup = new Resolution(false).resolveChain(parts, root);
  const found = byMarkup.length || !parts.some(mayDifferInSnapshot)
    ? byMarkup
    : new Resolution(true).resolveChain(parts, root);
  return { found, criterion: textCriterionOf(parts[parts.length - 1]) };
}

/**
 * Return { found, criterion } of a selector in the document, as `resolveSelector` does, but compare words only with the markup and not with
 * what snapshots print, as Playwright does.
 */
export function resolveAsWritten(selector) {
  const parts = parseSelector(selector);
  const found = new Resolution(false).resolveChain(parts, document);
  return { found, criterion: textCriterionOf(parts[parts.length - 1]) };
}

/** Return whether a part of a selector compares text that a snapshot may print differently from the markup. */
const mayDifferInSnapshot = ({ engine, pattern, attributes }) =>
  engine === 'text' && pattern === null || engine === 'label' || attributes.some(({ key }) => key === 'name');

const ENGINES_OF_VISIBLE_TEXT = new Set(['text', 'label', 'placeholder', 'alt', 'title']);

/**
 * Return what text a part of a selector (such as `role=button`) compares: { kind ("text", "label", "placeholder", …), words ("" if they are
 * exact, or for a role) }; null for CSS, XPath and the like.
 * @returns {TextCriterion | null}
 */
function textCriterionOf({ engine, words, exact }) {
  if (engine === 'role') return { kind: 'text', words: '' };
  return ENGINES_OF_VISIBLE_TEXT.has(engine) ? { kind: engine, words: exact ? '' : words } : null;
}

/** One search, with a cache of texts. `isPrinted`: compare words with what a snapshot prints, instead of the markup. */
class Resolution {
  constructor(isPrinted) {
    this.isPrinted = isPrinted;
    this.text = new MarkupText();
  }

  /**
   * Find what a chain of parts matches below `root`: elements of the part with a `*`, as in `*css=form >> text=Go`, else of the last one.
   */
  resolveChain(parts, root) {
    const target = parts.findIndex((part) => part.isTarget);
    const [wanted, inside] = target < 0 ? [parts, []] : [parts.slice(0, target + 1), parts.slice(target + 1)];
    let roots = [root];
    for (const part of wanted) roots = this.applyPart(part, roots);
    return inside.length === 0 ? roots : roots.filter((each) => this.resolveChain(inside, each).length > 0);
  }

  /** Apply one part to the elements found by the parts before: search below these, or filter them (`nth`, `visible`). */
  applyPart(part, roots) {
    if (part.engine === 'nth') {
      const only = roots.at(Number(part.body));
      return only && isElement(only) ? [only] : [];
    }
    if (part.engine === 'visible')
      return roots.filter((each) => isElement(each) && isVisible(each) === (part.body === 'true'));
    const found = roots.map((root) => this.findMatches(part, root));
    return found.length === 1 ? found[0] : [...new Set(found.flat())];
  }

  /** Find the elements below `root` that match a part. */
  findMatches(part, root) {
    switch (part.engine) {
      case 'css':
        return this.findByCss(part.list, root);
      case 'xpath':
        return findByXPath(part.body, root);
      case 'text':
        return part.pattern === null && this.isPrinted ? findByPrintedWords(part, root) : this.findByText(part, root);
      case 'role':
        return this.findByRole(part, root);
      case 'label':
        return this.findByLabel(part, root);
      default:
        return findByAttribute(part, root);
    }
  }

  /**
   * Find elements by their text, as Playwright's `text=` does.
   *
   * Words without quotes, and patterns, match the innermost elements that contain them. Exact words match each element that has them as a
   * whole run of text of its own: in `Pay <b>now</b>` the outer element has the run "Pay".
   */
  findByText({ words, exact, pattern }, root) {
    const found = [];
    const wanted = exact ? normaliseSpace(words) : normaliseSpace(words).toLowerCase();
    const fits = pattern === null
      ? (node) => this.text.hasWords(node, wanted)
      : (node) => pattern.test(this.text.rawTextOf(node));
    for (
      const element of isElement(root) ? [root, ...descendantsThroughShadow(root)] : descendantsThroughShadow(root)
    ) {
      if (exact ? !hasNoText(element) && hasTextRun(element, wanted) : this.isInnermost(element, fits))
        found.push(element);
    }
    return found;
  }

  /** Return whether `fits` returns true for an element, but neither for its shadow root nor for any child. */
  isInnermost(element, fits) {
    if (hasNoText(element) || !fits(element)) return false;
    const shadow = openShadowRootIn(element);
    if (shadow !== null && fits(shadow)) return false;
    for (const child of siblingsFrom(firstChildOf(element))) if (isElement(child) && fits(child)) return false;
    return true;
  }

  /** Find elements by role and the attributes of `role=`; hidden ones only with `[include-hidden]`. */
  findByRole({ role, attributes }, root) {
    const withHidden = attributes.some(({ key, value }) => key === 'include-hidden' && value === 'true');
    return descendantsThroughShadow(root).filter((element) =>
      roleOf(element) === role && (withHidden || !isHidden(element))
      && attributes.every((each) => this.hasRoleAttribute(element, role, each))
    );
  }

  /** Return whether an element fulfils one attribute of `role=`, such as `[name="Go"]` or `[checked]`. */
  hasRoleAttribute(element, role, attribute) {
    if (attribute.key === 'include-hidden') return true;
    if (attribute.key === 'name') {
      return this.isPrinted
        ? fitsRoleAttribute(nameOf(element, role), attribute, nfkcText)
        : fitsRoleAttribute(ignoringTextTransform(() => nameOf(element, role)), attribute, normaliseSpace);
    }
    if (attribute.key === 'description')
      return fitsRoleAttribute(descriptionOrTooltipOf(element), attribute, normaliseSpace);
    return printedStateOf(element, role, attribute.key) === attribute.value;
  }

  /**
   * Find fields by their `<label>`, and any element by `aria-labelledby` or `aria-label`.
   *
   * With `isPrinted` also by the accessible name, and checkboxes, radio buttons and switches without a label by their text; if nothing
   * matches, by a visible label that ARIA overrides.
   */
  findByLabel({ words, exact }, root) {
    /** Return whether a text that labels an element contains `words`, or equals them if `exact`. */
    const isMatch = (text) =>
      this.isPrinted
        ? isPrintedLabel(text, words, exact)
        : exact
        ? normaliseSpace(text) === words
        : normaliseSpace(text).toLowerCase().includes(normaliseSpace(words).toLowerCase());
    if (!words) return [];
    const found = descendantsThroughShadow(root).filter((element) => {
      const texts = this.labelTexts(element);
      return texts.some(isMatch)
        || this.isPrinted && (texts.length > 0 || ROLES_LABELLED_BY_CONTENT.has(roleOf(element)))
          && isPrintedLabel(nameOf(element), words, exact);
    });
    return found.length || !this.isPrinted ? found : fieldsByVisibleLabel(root, words, exact);
  }

  /** Return the texts that label an element, by the first of `aria-labelledby`, `aria-label` and `<label>` that it has. */
  labelTexts(element) {
    const labelledBy = referencedElements(element, 'aria-labelledby');
    if (labelledBy.length) return labelledBy.map((label) => this.text.rawTextOf(label));
    const ariaLabel = attr(element, 'aria-label');
    if (ariaLabel?.trim()) return [ariaLabel];
    const labels = labelsOf(element);
    const texts = Array.from(labels, (label) => this.text.rawTextOf(label));
    // a slot in a label shows text of the host, which is not in the label's markup but in the name
    return labels.some((label) => queryAllIn(label, 'slot').length > 0) ? [...texts, nameOf(element)] : texts;
  }

  /** Find elements by a list of complex selectors below `scope`, which is the document or an element. */
  findByCss(list, scope) {
    const [, shadow] = openTreesOf(scope);
    if (nodeTypeOf(scope) === 9 && !shadow && !list.some(({ isExtended }) => isExtended)) {
      try {
        return [...queryInDocument(scope, list.map(({ source }) => source).join())];
      } catch {
        // valid here, but not for the browser: a :has() within a :has()
      }
    }
    const found = list.map((complex) => this.findByComplex(complex, scope));
    if (found.length === 1) return found[0];
    const all = new Set(found.flat());
    return elementsInTreeOrder(isElement(scope) ? parentThroughShadow(scope) ?? scope : scope).filter((element) =>
      all.has(element)
    );
  }

  /**
   * Find elements by one complex selector, such as `form > :scope li`, below `scope`.
   *
   * `edge`: the ancestor at which matching stops, since it and its ancestors match no part of the selector. It is the scope, or the scope's
   * parent if the selector names the scope (`:scope`, or a combinator at the start).
   */
  findByComplex(complex, scope) {
    const { steps } = complex;
    // `:scope` alone and `+ p` find the scope itself and its siblings, which are not below the scope
    const reachesSiblings = isElement(scope) && hasScope(steps[0])
      && (steps.length === 1 || /[+~]/.test(steps[0].combinator));
    const edge = isElement(scope) && steps.some(hasScope) ? parentThroughShadow(scope) : scope;
    const from = reachesSiblings && edge !== null ? edge : scope;
    return [...openTreesOf(from)].flatMap((tree) => [...queryAllIn(tree, steps.at(-1).css || '*')])
      .filter((element) => this.matchesComplex(element, complex, { scope, edge }));
  }

  /** Return whether an element matches the step `at`, and elements around or before it match the steps before. */
  matchesComplex(element, complex, context, at = complex.steps.length - 1) {
    const { css, pseudos } = complex.steps[at];
    if (element === context.edge || css !== '' && !matches(element, css)) return false;
    return pseudos.every((each) => this.matchesPseudo(element, each, context))
      && (at === 0 || this.matchesBefore(element, complex, context, at - 1));
  }

  /**
   * Return whether a parent, ancestor or earlier sibling of an element (by the combinator after step `at`) matches the steps up to `at`.
   */
  matchesBefore(element, complex, context, at) {
    const { combinator } = complex.steps[at];
    const next = combinator === '+' || combinator === '~' ? previousElementOf : parentThroughShadow;
    for (let each = next(element); each !== null && each !== context.edge; each = next(each)) {
      if (this.matchesComplex(each, complex, context, at)) return true;
      if (combinator === '>' || combinator === '+') return false;
    }
    return false;
  }

  /** Return whether an element matches a pseudo-class that this engine implements. */
  matchesPseudo(element, { name, args }, context) {
    switch (name) {
      case 'is':
      case 'where':
        return args.some((each) => this.matchesComplex(element, each, context));
      case 'not':
        return !args.some((each) => this.matchesComplex(element, each, context));
      case 'has':
        return args.some((each) => this.findByComplex(each, element).length > 0);
      case 'nth-match':
        return this.findByCss(args.slice(0, -1), context.scope)[args.at(-1) - 1] === element;
      case 'scope':
        return element === (isElement(context.scope) ? context.scope : rootElementOf(documentOf(element)));
      case 'visible':
        return isVisible(element);
      case 'has-text':
        return !hasNoText(element) && this.text.hasWords(element, normaliseSpace(args[0]).toLowerCase());
      case 'text':
        return this.isInnermost(element, (node) => this.text.hasWords(node, normaliseSpace(args[0]).toLowerCase()));
      case 'text-is':
        return !hasNoText(element) && hasTextRun(element, normaliseSpace(args[0]));
      default: { // text-matches
        const pattern = new RegExp(args[0], args[1]);
        return this.isInnermost(element, (node) => pattern.test(this.text.rawTextOf(node)));
      }
    }
  }
}

// Roles of controls whose text stands beside what is ticked.
const ROLES_LABELLED_BY_CONTENT = wordSet('checkbox radio switch');

/** Return whether one step of a parsed CSS selector, such as `li:scope`, contains `:scope`. */
const hasScope = ({ pseudos }) => pseudos.some(({ name }) => name === 'scope');

/** Return the parent element of an element; for one at the top of a shadow tree the host; null for none. */
function parentThroughShadow(element) {
  const parent = parentNodeOf(element);
  if (parent === null) return null;
  return isElement(parent) ? parent : nodeTypeOf(parent) === 11 ? parent.host ?? null : null;
}

/** Return all elements below a root, parents first; the open shadow tree of an element follows its children. */
function elementsInTreeOrder(root) {
  const found = [];
  const stack = [root];
  while (stack.length) {
    const node = stack.pop();
    if (isElement(node) && node !== root) found.push(node);
    const inner = isElement(node) ? openShadowRootIn(node) : null;
    if (inner) stack.push(inner);
    stack.push(...[...siblingsFrom(firstChildOf(node))].filter(isElement).reverse());
  }
  return found;
}

/** Return the elements below a root that an XPath matches. Throws "Not a selector" for an invalid one. */
function findByXPath(path, root) {
  // an absolute path would begin at the document, whatever the root
  const relative = path.startsWith('/') && nodeTypeOf(root) !== 9 ? `.${path}` : path;
  let nodes;
  try {
    nodes = evaluateXPath(documentOf(root) ?? root, relative, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  } catch {
    throw new Error(`Not a selector: ${JSON.stringify(path)} is no XPath of nodes`);
  }
  return Array.from({ length: nodes.snapshotLength }, (_, place) => nodes.snapshotItem(place)).filter(isElement);
}

/**
 * Return the elements below a root that have `words` in an attribute, ignoring case, or as its whole value if `exact`. `engine`: what the
 * selector names, such as "placeholder" or "testid", see BY_ATTRIBUTE.
 */
function findByAttribute({ engine, words, exact }, root) {
  const name = BY_ATTRIBUTE[engine];
  const isWhole = exact || name === 'id' || name.startsWith('data-');
  const value = CSS.escape(words);
  return [...openTreesOf(root)].flatMap((
    tree,
  ) => [...queryAllIn(tree, isWhole ? `[${name}="${value}"]` : `[${name}*="${value}" i]`)]);
}

/**
 * Return whether a text, such as a name, fulfils an attribute of `role=`, such as `[name*="Go" i]`; the operators are those of CSS.
 * `normalise`: function that is applied to both texts before they are compared.
 */
function fitsRoleAttribute(text, { operator, value, anyCase }, normalise) {
  if (value instanceof RegExp) return value.test(normaliseSpace(text));
  /** Return a text prepared for the comparison: normalised, and in upper case if the selector ignores case. */
  const fold = (letters) => anyCase ? normalise(letters).toUpperCase() : normalise(letters);
  const [actual, wanted] = [fold(text), fold(value)];
  switch (operator) {
    case '*=':
      return actual.includes(wanted);
    case '^=':
      return actual.startsWith(wanted);
    case '$=':
      return actual.endsWith(wanted);
    case '|=':
      return actual === wanted || actual.startsWith(`${wanted}-`);
    case '~=':
      return actual.split(' ').includes(wanted);
    default:
      return actual === wanted;
  }
}

/**
 * Return a state of an element, for a selector such as `[checked]` (`key`: "checked"), from the states that snapshots print: "true",
 * "false" or "mixed"; for "level" the number as text.
 */
function printedStateOf(element, role, key) {
  const states = statesOf(element, role, localNameOf(element));
  if (key === 'level') return states.find((state) => state.startsWith('level='))?.slice(6) ?? '0';
  if (key === 'expanded') return states.includes('expanded') ? 'true' : states.includes('collapsed') ? 'false' : '';
  return states.includes(`${key}=mixed`) ? 'mixed' : String(states.includes(key));
}

/** Return whether a text that a snapshot prints contains `words`, ignoring case, or equals them in the same case if `exact`. */
const hasPrintedWords = (text, words, exact) =>
  exact ? nfkcText(text) === nfkcText(words) : foldedText(text).includes(foldedText(words));

/**
 * Return whether a label that a snapshot prints contains `words`, ignoring case, or equals them in the same case if `exact`. Colons and
 * stars at the end (`Name: *`) are ignored.
 */
const isPrintedLabel = (label, words, exact) =>
  hasPrintedWords(exact ? withoutLabelMarks(nfkcText(label)) : label, withoutLabelMarks(nfkcText(words)), exact);

/** Find fields by the text of a visible `<label>`, even if ARIA gives them another name. `exact`: the label has to equal `words`. */
const fieldsByVisibleLabel = (root, words, exact) =>
  [...openTreesOf(root)].flatMap((tree) => [...queryAllIn(tree, 'label')])
    .filter((label) =>
      label.control && isVisible(label) && isPrintedLabel(cleanText(visibleTextOf(label)), words, exact)
    )
    .map((label) => label.control);

const TAGS_WITHOUT_PRINTED_TEXT = new Set(['script', 'style', 'noscript', 'template', 'head']);

/** Find the innermost elements whose printed text (as by the command `text`) or name contains the words, or is equal to them if `exact`. */
function findByPrintedText({ words, exact }, root) {
  const letters = foldedWithoutSpace(words);
  const found = [];
  /** Return whether the printed text or the name of an element has the words. */
  const isMatch = (element) =>
    hasPrintedWords(readVisibleText(idOf(element)), words, exact) || hasPrintedWords(nameOf(element), words, exact);
  /**
   * Search a node for matching elements, and add the innermost ones to `found`. Return all text in it without white space: that is compared
   * first, since the printed text is expensive. `depth`: of the recursion.
   */
  const collectMatches = (node, depth) => {
    let inside = isElement(node) && isButtonInput(node) ? foldedWithoutSpace(nameOf(node)) : '';
    const before = found.length;
    for (const child of childrenOf(node)) {
      if (isText(child)) inside += foldedWithoutSpace(dataOf(child));
      else if (isElement(child) && depth < MAX_TEXT_DEPTH && !TAGS_WITHOUT_PRINTED_TEXT.has(localNameOf(child)))
        inside += collectMatches(child, depth + 1);
    }
    if (found.length > before || !isElement(node) || !inside.includes(letters)) return inside;
    if (isMatch(node)) found.push(node);
    return inside;
  };
  if (letters) collectMatches(root, 0);
  return found;
}

/** Return a text for a comparison that ignores case and white space, so that line breaks make no difference. */
const foldedWithoutSpace = (text) => foldedText(text).replace(/\s/g, '');

/**
 * Find the elements below `root` whose printed text has the words of `part` (a part of a selector); if there are none, by a name from an
 * attribute.
 */
function findByPrintedWords(part, root) {
  const found = findByPrintedText(part, root);
  return found.length ? found : findByNamingAttribute(part, root);
}

/**
 * Find elements whose name is just `words` and comes from an attribute, such as `aria-label` or `title`. If such an attribute is on an icon
 * in a control of the same name, the control is found instead.
 */
function findByNamingAttribute({ words, exact }, root) {
  const form = exact ? nfkcText : foldedText;
  const wanted = form(words);
  /** Return whether the name of an element is just the words. */
  const hasWantedName = (element) => form(nameOf(element)) === wanted;
  const given = [...openTreesOf(root)]
    .flatMap((tree) => [...queryAllIn(tree, NAMING_ATTRIBUTES.map((name) => `[${name}]`).join())])
    .filter((element) => NAMING_ATTRIBUTES.some((name) => form(attr(element, name) ?? '') === wanted));
  const controls = given.map((element) =>
    closestWhere(element, (each) => kindOf(roleOf(each)).operable && hasWantedName(each)) ?? element
  );
  return [...new Set(controls)].filter(hasWantedName);
}

/** Return the text of an element without hidden content, with a space between blocks; "" for a secret. */
export function visibleTextOf(element) {
  if (isSecret(element)) return ''; // the text of a text area is its value
  return childElementCountOf(element) === 0
    ? textContentOf(element)
    : contentName(element, { left: 300, visited: new Set([element]) }, {});
}

// The text of elements in the markup, displayed or not, for `text=`, `label=` and `:has-text()`. As in Playwright: with open shadow trees;
// the text of an `<input type=submit>` is its value; scripts, styles and the head have none.

const TAGS_WITHOUT_TEXT = new Set(['script', 'noscript', 'style']);

/** Replace each run of white space by one space, trim, and remove zero-width spaces and soft hyphens, as Playwright does. */
const normaliseSpace = (text) => text.replace(/[\u200b\u00ad]/g, '').trim().replace(/\s+/g, ' ');

/** Reads and caches the text of elements, for one resolution of a selector. */
class MarkupText {
  constructor() {
    this.fullTexts = new Map();
    this.normalisedTexts = new Map();
  }

  /** Return all text in an element or a shadow root, with its white space. Cached. `depth`: of the recursion. */
  rawTextOf(node, depth = 0) {
    let text = this.fullTexts.get(node);
    if (text === undefined) this.fullTexts.set(node, text = this.readRawText(node, depth));
    return text;
  }

  /** Return all text in an element or a shadow root, with its white space, without the cache of it. `depth`: of the recursion. */
  readRawText(node, depth) {
    if (isElement(node)) {
      if (hasNoText(node)) return '';
      if (isButtonInput(node)) return node.value;
      if (depth > MAX_TEXT_DEPTH || childElementCountOf(node) === 0 && openShadowRootIn(node) === null)
        return textContentOf(node);
    }
    let text = '';
    for (const child of siblingsFrom(firstChildOf(node))) {
      if (isText(child)) text += dataOf(child);
      else if (isElement(child)) text += this.rawTextOf(child, depth + 1);
    }
    const shadow = isElement(node) ? openShadowRootIn(node) : null;
    return shadow === null ? text : text + this.rawTextOf(shadow, depth + 1);
  }

  /** Return all text in an element or a shadow root, with white space normalised. */
  normalisedTextOf(node) {
    let text = this.normalisedTexts.get(node);
    if (text === undefined) this.normalisedTexts.set(node, text = normaliseSpace(this.rawTextOf(node)));
    return text;
  }

  /** Return whether the text of an element or a shadow root contains these words, which are in lower case and have single spaces. */
  hasWords(node, lowerCaseWords) {
    return this.normalisedTextOf(node).toLowerCase().includes(lowerCaseWords);
  }
}

/** Return whether an element is an `<input>` that is a button, and displays its value. */
const isButtonInput = (element) =>
  localNameOf(element) === 'input'
  && (element.type === 'submit' || element.type === 'button' || element.type === 'reset');

/** Return whether the text of an element does not count: it is a script or style, or in the head. */
function hasNoText(element) {
  if (TAGS_WITHOUT_TEXT.has(localNameOf(element))) return true;
  const parent = parentNodeOf(element);
  if (parent === null || nodeTypeOf(parent) === 11) return false;
  const head = headOf(documentOf(element));
  return head !== null && containsNode(head, element);
}

/** Return whether a run of text of an element, between two child elements or at its start or end, equals `words`. */
function hasTextRun(element, words) {
  if (isButtonInput(element)) return normaliseSpace(element.value) === words;
  let run = '';
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (isText(child)) run += dataOf(child);
    else if (nodeTypeOf(child) !== 8) { // comments do not end a run
      if (run && normaliseSpace(run) === words) return true;
      run = '';
    }
  }
  return run !== '' && normaliseSpace(run) === words;
}
