// Reading a page: its links, markup, attributes, styles, size and forms. Changes nothing. Its text is in read/text.js.

import { nameOf } from '../accname/names.js';
import { isSecret, MASK } from '../accname/states.js';
import { boxListOf } from '../actions/hit-testing.js';
import {
  attributesOf,
  baseAddressOf,
  bodyOf,
  clientHeightOf,
  clientWidthOf,
  closest,
  doctypeOf,
  documentOf,
  firstChildOf,
  fontsOf,
  getter,
  implementationOf,
  lateGetter,
  localNameOf,
  matches,
  namespaceOf,
  newElementOf,
  nodeTypeOf,
  queryAll,
  queryInDocument,
  queryInFragment,
  rectOf,
  rootElementOf,
  scrollHeightOf,
  scrollWidthOf,
  titleOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  cleanText,
  exported,
  hasAttr,
  HTML,
  isElement,
  queryAllIn,
  shadowRootOf,
} from '../dom/dom.js';
import { meetHost } from '../dom/internals.js';
import { beginReading, mayRead, readOfMore, withinMost } from '../dom/invoke.js';
import { nodeFor } from '../dom/node-table.js';
import { twoFrames } from '../dom/turns.js';

/**
 * @typedef {object} Styles
 * @property {Record<string, string>} kind
 * @property {Record<string, string>} values
 */

/**
 * Size of the whole page and of what is seen of it, and how far it is scrolled, in CSS pixels; `scale` is how many device pixels
 * one of those has.
 * @typedef {object} PageSize
 * @property {number} width
 * @property {number} height
 * @property {number} left
 * @property {number} top
 * @property {number} seenWidth
 * @property {number} seenHeight
 * @property {number} scale
 */

/**
 * Every link that goes somewhere, of all or of those in an element: its text, else its accessible name, and its absolute address;
 * and whether there are more.
 */
exported.links = (id) => {
  const found = [];
  beginReading();
  const scope = id ? nodeFor(id) : document;
  if (!scope) return { links: [], cut: 0 };
  if (id && matches(scope, 'a[href],area[href]')) addLink(scope);
  for (const root of treesToRead(scope)) {
    for (const link of queryAllIn(root, 'a[href],area[href]')) {
      if (!mayRead()) break;
      addLink(link);
    }
  }
  return { links: found, cut: readOfMore() };

  /** Add a link to the answer: its text and its URL. */
  function addLink(link) {
    const text = (link.innerText || '').replace(/\s+/g, ' ').trim() || nameOf(link).trim();
    found.push([
      text,
      typeof link.href === 'string' ? link.href : new URL(link.getAttribute('href'), baseAddressOf(document)).href,
    ]);
  }
};

/** Yield a document and every shadow root in it that can be entered, as far as may be read. */
function* treesToRead(root) {
  yield root;
  for (const element of queryAllIn(root, '*')) {
    if (!mayRead()) return;
    const inner = shadowRootOf(element);
    if (inner) yield* treesToRead(inner);
    else meetHost(element, localNameOf(element), firstChildOf(element));
  }
}

/** Markup: the inside of an element, or the whole document with its doctype. Values of secret fields are masked. */
exported.html = (id) => {
  if (id) {
    const element = nodeFor(id);
    return element ? withinMost(serializeMasked(element, innerMarkupOf)) : null;
  }
  const type = doctypeOf(document);
  const doctype = type ? `${new XMLSerializer().serializeToString(type)}\n` : '';
  const root = rootElementOf(document); // a page can remove it
  return root ? withinMost(doctype + serializeMasked(root, markupOf)) : doctype;
};

/** The markup of an element, with secrets masked. */
exported.maskedMarkup = (element) => serializeMasked(element, markupOf);

/**
 * Serialise an element with its secrets masked, by `write`. A copy is made only if there are any; the originals say which fields are
 * secret.
 */
function serializeMasked(element, write) {
  const fields = maskedFieldsOf(element);
  if (!fields.some(isSecret)) return write(element);
  const copy = implementationOf(document).createHTMLDocument('').importNode(element, true);
  maskedFieldsOf(copy).forEach((field, index) => {
    if (!isSecret(fields[index])) return;
    if (hasAttr(field, 'value')) field.setAttribute('value', MASK);
    if (field.firstChild) field.textContent = MASK;
  });
  return write(copy);
}

const markupOf = getter(Element, 'outerHTML'); // a field can be called so, and hide it
const innerMarkupOf = getter(Element, 'innerHTML');
const MASKED_FIELDS = 'input,textarea';
/** Return the fields of an element whose values may be secrets. */
const maskedFieldsOf = (
  element,
) => [...(matches(element, MASKED_FIELDS) ? [element] : []), ...queryAll(element, MASKED_FIELDS)];

/** Return the attributes of an element, secrets masked; null when it is gone. */
exported.attrs = (id) => {
  const element = nodeFor(id);
  if (!element) return null;
  const attributes = {};
  for (const { name, value } of attributesOf(element)) {
    attributes[name] = name === 'value' && isSecret(element) && value ? MASK : value;
  }
  return attributes;
};

/** Computed value of a CSS property; null when there is no such property. */
exported.css = (id, property) => {
  const element = nodeFor(id);
  if (!element) return null;
  const style = getComputedStyle(element);
  const value = style.getPropertyValue(property);
  return value || (property.startsWith('--') ? '' : property in style ? style[property] : null);
};

/**
 * All computed values of an element by property, shorthands too, and what kind of element it is; null when it is gone.
 * @returns {Styles | null}
 */
exported.styles = (id) => {
  const element = nodeFor(id);
  return element ? { kind: kindOfStyle(element), values: computedValues(element) } : null;
};

/** The computed values of a new element of that kind, added for a moment to this document, which is empty. */
exported.plainStyles = ({ space, tag, type }) => {
  const element = newElementOf(document, space, tag);
  if (type) element.setAttribute('type', type);
  bodyOf(document).append(element);
  const values = computedValues(element);
  element.remove();
  return values;
};

const SHORTHANDS = [
  'border',
  'border-color',
  'border-radius',
  'border-style',
  'border-width',
  'gap',
  'inset',
  'margin',
  'overflow',
  'padding',
];

/** Return namespace, tag and type of an element: new elements of these have the same style. */
function kindOfStyle(element) {
  const isInput = localNameOf(element) === 'input';
  return { space: namespaceOf(element), tag: localNameOf(element), type: isInput ? element.type : '' };
}

/** Return the computed values of an element by property, shorthands included. */
function computedValues(element) {
  const style = getComputedStyle(element);
  /** @type {Record<string, string>} */
  const values = {};
  for (const name of [...style, ...SHORTHANDS]) values[name] = style.getPropertyValue(name);
  return values;
}

exported.title = () => titleOf(document);

/** Left, top, width and height of an element in CSS pixels, from the top left of its window; null without a box. */
exported.boxOf = (id) => {
  const element = nodeFor(id);
  if (!element || boxListOf(element).length === 0) return null;
  const { left, top, width, height } = rectOf(element);
  return [left, top, width, height];
};

/** All property names, for "did you mean". */
exported.cssProperties = () => [...getComputedStyle(rootElementOf(document))];

/**
 * A document without a root is as large as its window.
 * @returns {PageSize}
 */
const pageSize = () => {
  const root = rootElementOf(document);
  return {
    width: root ? Math.max(scrollWidthOf(root), clientWidthOf(root)) : innerWidth,
    height: root ? Math.max(scrollHeightOf(root), clientHeightOf(root)) : innerHeight,
    left: scrollX,
    top: scrollY,
    seenWidth: innerWidth,
    seenHeight: innerHeight,
    scale: devicePixelRatio,
  };
};
exported.pageSize = pageSize;

/**
 * The size of the page once the fonts that it shows have arrived, and its frames have had time to draw: those of other processes draw by
 * themselves. Chromium draws everything else anew for a picture.
 * @returns {Promise<PageSize>}
 */
exported.pageSizeOnceDrawn = async () => {
  await fontsOf(document).ready;
  if (window.length) await twoFrames();
  return pageSize();
};

const MEDIA = new Set(['img', 'video', 'audio', 'source', 'track', 'embed']);

/**
 * The address of the file that an element is (a picture, a video) or leads to; null for no such element. `isApart`: a click
 * would not make the tab itself load it.
 */
exported.fileOf = (id) => {
  const element = nodeFor(id);
  if (MEDIA.has(localNameOf(element))) return { url: element.currentSrc || element.src || '', isApart: true };
  const link = closest(element, 'a[href], area[href]');
  if (!link) return null;
  const isShownElsewhere = window !== top || !['', '_self', '_top'].includes(String(link.target));
  return { url: String(link.href), isApart: isShownElsewhere && !hasAttr(link, 'download') };
};

// The forms of a page and their fields, also those of shadow roots and those outside of any form. Changes nothing.

const FORM_FIELDS = 'input,select,textarea,button';
const SECRET_HIDDEN = /token|secret|csrf|xsrf|nonce|api[-_]?key|session/i;
const formOf = {
  input: lateGetter('HTMLInputElement', 'form'),
  select: lateGetter('HTMLSelectElement', 'form'),
  textarea: lateGetter('HTMLTextAreaElement', 'form'),
  button: lateGetter('HTMLButtonElement', 'form'),
};

/** Types that a field's role does not tell. */
const TOLD_TYPES = new Set(
  'email tel url date time datetime-local month week color file submit image'.split(' '),
);

/**
 * {forms: [{index, action, method, id, fields}], cut}, in document order; what stands outside of a form has the index null.
 * `id`: an element, for the fields in it; 0 for all.
 */
exported.forms = (id) => {
  const found = new Map();
  const loose = { index: null, fields: [] };
  beginReading();
  const scope = id ? nodeFor(id) : document;
  for (const element of scope ? formsAndFields(scope, mayRead) : []) {
    if (localNameOf(element) === 'form') {
      found.set(element, describeForm(element, found.size));
      continue;
    }
    const form = formOwnerOf(element);
    if (form && !found.has(form)) found.set(form, describeForm(form, found.size));
    (form ? found.get(form) : loose).fields.push(describeField(element));
  }
  return { forms: loose.fields.length ? [...found.values(), loose] : [...found.values()], cut: readOfMore() };
};

/**
 * The forms that elements belong to, and the types that their roles do not tell: { forms: [{action, method, id}], fields: [[index of the
 * form or -1, type, name attribute], …] }, with null for an element that is gone or of another document.
 */
exported.formsOf = (ids) => {
  const forms = [];
  const fields = ids.map((id) => {
    const element = nodeFor(id);
    if (!element || documentOf(element) !== document) return null;
    const form = formOwnerOf(element) ?? closestForm(element);
    if (form && !forms.includes(form)) forms.push(form);
    return [forms.indexOf(form), typeBeyondRole(element), attr(element, 'name') || ''];
  });
  return { forms: forms.map((form) => ({ ...describeForm(form, 0), fields: undefined })), fields };
};

/** Return the form around a field that is none of HTML's own, such as an editor or a list by ARIA; null for none. */
function closestForm(element) {
  for (const around of ancestorsOf(element)) {
    if (isElement(around) && localNameOf(around) === 'form' && namespaceOf(around) === HTML) return around;
  }
  return null;
}

/** Return the type of a field or button that its role does not tell, such as "email"; "" for any other. */
function typeBeyondRole(element) {
  const tag = namespaceOf(element) === HTML ? localNameOf(element) : '';
  const type = tag === 'input' || tag === 'button' ? element.type : '';
  if (type === 'image') return 'submit';
  return TOLD_TYPES.has(type) && (type !== 'submit' || formOwnerOf(element)) ? type : '';
}

/** Every form and field below a root, open shadow roots (and closed ones that a snapshot found) included. */
function* formsAndFields(root, may) {
  for (const element of everythingIn(root)) {
    if (!may()) return;
    if (matches(element, `form,${FORM_FIELDS}`)) yield element;
    const inner = shadowRootOf(element);
    if (inner) yield* formsAndFields(inner, may);
  }
}

/** Return all elements below a document, shadow root or element. */
function everythingIn(root) {
  const type = nodeTypeOf(root);
  if (type === 1) return queryAll(root, '*');
  return (type === 9 ? queryInDocument : queryInFragment)(root, '*');
}

/** Return the form that a field belongs to by HTML; null for none. */
const formOwnerOf = (field) => namespaceOf(field) === HTML ? formOf[localNameOf(field)]?.(field) ?? null : null;

const baseOf = getter(Node, 'baseURI');

/** Return the absolute URL of a form's action; the page's where it has none. */
function absoluteAddress(form, address) {
  if (!address) return location.href;
  try {
    return new URL(address, baseOf(form)).href;
  } catch {
    return address; // no URL at all
  }
}

/** Describe a form, without its fields. */
function describeForm(form, index) {
  return {
    index,
    action: absoluteAddress(form, attr(form, 'action')),
    method: (attr(form, 'method') || 'get').toLowerCase(),
    id: attr(form, 'id') || undefined,
    fields: [],
  };
}

/** Describe a field. Empty properties are left out. */
function describeField(field) {
  const tag = localNameOf(field);
  const checkable = tag === 'input' && (field.type === 'checkbox' || field.type === 'radio');
  return {
    tag,
    type: tag === 'input' || tag === 'button' ? field.type : undefined,
    name: attr(field, 'name') || undefined,
    id: attr(field, 'id') || undefined,
    placeholder: attr(field, 'placeholder') || undefined,
    required: hasAttr(field, 'required') || undefined,
    value: printableValue(field, tag) || undefined,
    checked: checkable ? field.checked : undefined,
    options: tag === 'select' ? [...field.options].map(describeOption) : undefined,
  };
}

/** Describe an option. Empty properties are left out. */
function describeOption(option) {
  return { value: option.value, text: cleanText(option.label), selected: option.selected || undefined };
}

/** Return the value of a field, secrets masked, files by name. */
function printableValue(field, tag) {
  if (tag === 'input' && field.type === 'file') return [...field.files].map((file) => file.name).join(', ');
  if (!field.value) return '';
  const secret = isSecret(field)
    || (tag === 'input' && field.type === 'hidden' && SECRET_HIDDEN.test(attr(field, 'name') || ''));
  return secret ? MASK : field.value;
}

/** The kind of files that a file field takes; null when it is gone. */
exported.fileField = (id) => {
  const field = nodeFor(id);
  return field ? { multiple: field.multiple, folder: field.webkitdirectory } : null;
};
