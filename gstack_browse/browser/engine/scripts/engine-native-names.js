// Names that HTML and SVG markup brings along: html-aam.

import {
  containsNode,
  dataOf,
  firstChildOf,
  localNameOf,
  namespaceOf,
  queryOne,
  rootOf,
  textContentOf,
} from './engine-accessors.js';
import { attr, hasAttr, isElement, isText, parentOf, siblingsFrom, SVG, treeOf } from './engine-dom.js';
import { hiddenness, isHidden } from './engine-hidden.js';
import { labelledAs, labelsOf } from './engine-relations.js';
import { nameFrom } from './engine-names.js';

// E: what the element's own markup says; null where HTML has nothing to say.
export function nativeName(element, role, budget, how) {
  const name = localNameOf(element);
  if (namespaceOf(element) === SVG) return svgName(element, name);
  switch (name) {
    case 'input':
      return inputName(element, budget, how);
    case 'select':
    case 'textarea':
    case 'meter':
    case 'progress':
    case 'output':
      return labelText(element, budget) || (how.top ? attr(element, 'title') || attr(element, 'placeholder') : '')
        || null;
    case 'button':
      return labelText(element, budget) || null;
    case 'img':
      return attr(element, 'alt')
        || (how.top && role !== '' ? attr(element, 'title') || captionOf(element, budget) : '') || '';
    case 'area':
      return attr(element, 'alt') || (how.top ? attr(element, 'title') : null);
    case 'iframe':
    case 'frame':
      return attr(element, 'title');
    case 'optgroup':
      return attr(element, 'label');
    case 'option':
      return attr(element, 'label') || element.text;
    case 'fieldset':
      return childText(element, 'legend', budget);
    case 'table':
      return childText(element, 'caption', budget) || attr(element, 'summary');
    default:
      return labelled(element, budget) || (how.top ? ownedWords(element, role, budget) : null);
  }
}

// The name of an element of any tag by its role: the placeholder of an editor, the heading of a dialog (accname 1.3).
function ownedWords(element, role, budget) {
  if (role === 'textbox') return attr(element, 'aria-placeholder');
  if (role !== 'dialog' && role !== 'alertdialog') return null;
  const heading = queryOne(element, 'h1,h2,h3,h4,h5,h6,[role=heading]');
  return heading && !isHidden(heading) ? attr(element, 'title') || nameFrom(heading, 'heading', budget, {}) : null;
}

// html-aam: an image without any name of its own, and alone with a caption in its figure, is called by that.
function captionOf(image, budget) {
  const figure = hasAttr(image, 'alt') ? null : parentOf(image);
  if (!figure || localNameOf(figure) !== 'figure') return '';
  const beside = [...siblingsFrom(firstChildOf(figure))].filter((node) =>
    node !== image && (isElement(node) || isText(node) && dataOf(node).trim())
  );
  return beside.length === 1 && isElement(beside[0]) && localNameOf(beside[0]) === 'figcaption'
    ? nameFrom(beside[0], '', budget, {})
    : '';
}

// Form-associated custom elements are labelled like any field.
function labelled(element, budget) {
  if (!localNameOf(element).includes('-')) return null;
  return labelText(element, budget) || null;
}

const DEFAULT_LABELS = { submit: 'Submit', reset: 'Reset', image: 'Submit' };
function inputName(element, budget, how) {
  const type = element.type;
  if (type === 'submit' || type === 'reset' || type === 'button') {
    return labelText(element, budget) || element.value || attr(element, 'title')
      || (hasAttr(element, 'value') ? '' : DEFAULT_LABELS[type] || '');
  }
  if (type === 'image') {
    return labelText(element, budget) || attr(element, 'alt') || attr(element, 'title') || attr(element, 'value')
      || 'Submit';
  }
  const label = labelText(element, budget);
  if (label) return label;
  if (type === 'file') return attr(element, 'title') || fileButtonText(element);
  if (!how.top) return null;
  return attr(element, 'title') || attr(element, 'placeholder') || attr(element, 'aria-placeholder') || null;
}

const fileButtonText = (element) => element.multiple ? 'Choose Files' : 'Choose File';

export function labelText(element, budget) {
  const control = labelledAs(element);
  const labels = labelsOf(control);
  if (!labels.length || budget.labelled?.has(element)) return '';
  (budget.labelled ??= new Set()).add(element);
  const text = Array.from(labels, (label) => {
    if (budget.visited.has(label) || isHiddenBeside(label, element)) return '';
    return nameFrom(label, '', budget, { labels: besideLabel(control, label) });
  }).filter(Boolean).join(' ');
  budget.labelled.delete(element);
  return text;
}

// The element of a label's own tree that is its control, or has that in a shadow tree.
function besideLabel(control, label) {
  let beside = control;
  while (treeOf(beside) !== treeOf(label)) beside = rootOf(beside).host;
  return beside;
}

// An element that closes off a label closes off the control in it, too: there only the label's own visibility is asked.
const isHiddenBeside = (label, element) =>
  (containsNode(label, element) ? hiddenness(label) !== '' : isHidden(label)) && !isHidden(element);

function childText(element, tag, budget) {
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (isElement(child) && localNameOf(child) === tag) return isHidden(child) ? null : nameFrom(child, '', budget, {});
  }
  return null;
}

function svgName(element, name) {
  for (const child of siblingsFrom(firstChildOf(element))) {
    if (isElement(child) && localNameOf(child) === 'title') return textContentOf(child);
  }
  return name === 'a' ? attr(element, 'xlink:title') : null;
}
