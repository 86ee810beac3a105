// Reads a page's links, markup, attributes, styles, size and forms. Its text is in read/text.js.

import { nameOf } from '../accname/names.js';
import { isSecret, MASK } from '../accname/states.js';
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
  implementationOf,
  localNameOf,
  makeGetter,
  makeLateGetter,
  matches,
  namespaceOf,
  newElementOf,
  queryAll,
  rectOf,
  rootElementOf,
  scrollHeightOf,
  scrollingElementOf,
  scrollWidthOf,
  styleOf,
  titleOf,
} from '../dom/accessors.js';
import {
  ancestorsOf,
  attr,
  cleanText,
  elementsBelow,
  exported,
  hasAttr,
  HTML,
  isElement,
  queryAllIn,
  shadowRootOf,
  treesIn,
} from '../dom/dom.js';
import { noteHostCandidate } from '../dom/internals.js';
import { beginReading, elementsReadBeforeLimit, limitLength, mayRead } from '../dom/invoke.js';
import { nodeFor } from '../dom/node-table.js';
import { waitTwoFrames } from '../dom/turns.js';
import { boxListOf } from '../layout/hit-testing.js';

/**
 * Return the links in an element (0: of the page) as { links: [text or else accessible name, absolute URL] of each, cut: number of elements
 * read if there are too many to read all, else 0 }.
 */
exported.listLinks = (id) => {
  const found = [];
  beginReading();
  const scope = id ? nodeFor(id) : document;
  if (!scope) return { links: [], cut: 0 };
  if (id && matches(scope, 'a[href],area[href]')) addLink(scope);
  for (const root of treesIn(scope, shadowRootToRead)) {
    for (const link of queryAllIn(root, 'a[href],area[href]')) {
      if (!mayRead()) break;
      addLink(link);
    }
  }
  return { links: found, cut: elementsReadBeforeLimit() };

  /** Add [text or else accessible name, absolute URL] of a link to the answer. */
  function addLink(link) {
    const text = (link.innerText || '').replace(/\s+/g, ' ').trim() || nameOf(link).trim();
    found.push([text, linkAddressOf(link)]);
  }
};

/** Return the absolute URL of a link; "" for an `<a>` without one. The `href` of a link in SVG is no string. */
export const linkAddressOf = (link) =>
  typeof link.href === 'string'
    ? link.href
    : absoluteAddress(link, attr(link, 'href') ?? attr(link, 'xlink:href') ?? '');

/** Return an address in an element as an absolute URL; unchanged if it is empty or invalid. */
function absoluteAddress(element, address) {
  try {
    return address && new URL(address, baseAddressOf(element)).href;
  } catch {
    return address;
  }
}

/** Return the shadow root of an element; null for none, and once the limit of elements to read is reached. */
function shadowRootToRead(element) {
  if (!mayRead()) return null;
  const root = shadowRootOf(element);
  if (!root) noteHostCandidate(element, localNameOf(element), firstChildOf(element));
  return root;
}

/**
 * Return the inner markup of an element, or with id 0 the markup of the whole document with its doctype; null for an element that is gone.
 * Values of secret fields are masked.
 */
exported.readHtml = (id) => {
  if (id) {
    const element = nodeFor(id);
    return element ? limitLength(serializeMasked(element, innerMarkupOf)) : null;
  }
  const type = doctypeOf(document);
  const doctype = type ? `${new XMLSerializer().serializeToString(type)}\n` : '';
  const root = rootElementOf(document); // a page can remove it
  return root ? limitLength(doctype + serializeMasked(root, markupOf)) : doctype;
};

/** Return the outer markup of an element, with the values of secret fields masked. */
exported.readMaskedMarkup = (element) => serializeMasked(element, markupOf);

/**
 * Return `write(element)`, its outer or inner markup, with the values of secret fields masked. They are masked in a copy; which fields are
 * secret is read from the originals, since that depends on more than markup.
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

const markupOf = makeGetter(Element, 'outerHTML');
const innerMarkupOf = makeGetter(Element, 'innerHTML');
const MASKED_FIELDS = 'input,textarea';
/** Return the `<input>` and `<textarea>` elements that an element is or contains: their values may be secrets. */
function maskedFieldsOf(element) {
  return [...(matches(element, MASKED_FIELDS) ? [element] : []), ...queryAll(element, MASKED_FIELDS)];
}

/** Return the attributes of an element as an object, name → value, with the value of a secret field masked; null if the element is gone. */
exported.readAttributes = (id) => {
  const element = nodeFor(id);
  if (!element) return null;
  const secret = isSecret(element);
  return Object.fromEntries(
    Array.from(attributesOf(element), ({ name, value }) => [name, secret && name === 'value' && value ? MASK : value]),
  );
};

/** Return the computed value of one CSS property of an element; null if there is no such property, or the element is gone. */
exported.readCssProperty = (id, property) => {
  const element = nodeFor(id);
  if (!element) return null;
  const style = getComputedStyle(element);
  const value = style.getPropertyValue(property);
  return value || (property.startsWith('--') ? '' : property in style ? style[property] : null);
};

/** @typedef {{ kind: Record<string, string>, values: Record<string, string> }} Styles */

/**
 * Return { values: the computed value of each CSS property of an element, kind: what its default style depends on }; null if it is gone.
 * @returns {Styles | null}
 */
exported.readComputedStyles = (id) => {
  const element = nodeFor(id);
  return element ? { kind: kindOfStyle(element), values: computedValues(element) } : null;
};

/**
 * Return the computed values, by CSS property, of a new element with this namespace (`space`), tag and `type` attribute ("" for none): the
 * browser's default style. Called in an empty document, to which the element is added for a moment.
 */
exported.readDefaultStyles = ({ space, tag, type }) => {
  const element = newElementOf(document, space, tag);
  if (type) element.setAttribute('type', type);
  bodyOf(document).append(element);
  const values = computedValues(element);
  element.remove();
  return values;
};

const SHORTHANDS = 'border border-color border-radius border-style border-width gap inset margin overflow padding'
  .split(' ');

/** Return what the default style of an element depends on: { space: its namespace, tag, type: of an `<input>`, else "" }. */
function kindOfStyle(element) {
  const isInput = localNameOf(element) === 'input';
  return { space: namespaceOf(element), tag: localNameOf(element), type: isInput ? element.type : '' };
}

/** Return the computed values of an element by CSS property, shorthands included. */
function computedValues(element) {
  const style = getComputedStyle(element);
  return Object.fromEntries([...style, ...SHORTHANDS].map((name) => [name, style.getPropertyValue(name)]));
}

/** Return the title of the document. */
exported.readTitle = () => titleOf(document);

/** Return [left, top, width, height] of an element in CSS pixels, from the top left of its window; null if it has no box. */
exported.boxOf = (id) => {
  const element = nodeFor(id);
  if (!element || boxListOf(element).length === 0) return null;
  const { left, top, width, height } = rectOf(element);
  return [left, top, width, height];
};

/** Return the names of all CSS properties that Chromium knows, to suggest one for a misspelled name. */
exported.listCssProperties = () => [...getComputedStyle(rootElementOf(document))];

/**
 * Size of the whole page and of its visible part (`seenWidth`, `seenHeight`), and its scroll position (`left`, `top`), in CSS pixels;
 * `scale`: device pixels of a CSS pixel.
 * @typedef {{ width: number, height: number, left: number, top: number, seenWidth: number, seenHeight: number, scale: number }} PageSize
 */

// The scroll position of the page when `measurePage` last measured it; null in a document that was not measured.
let measuredScroll = null;

/**
 * Scroll the page back to where it was when `measurePage` measured it. Chromium may scroll it while it takes a picture of more than the
 * viewport, if something is as high as that (`100vh`).
 */
exported.restoreScroll = () => {
  if (measuredScroll && (scrollX !== measuredScroll.left || scrollY !== measuredScroll.top))
    scrollTo({ ...measuredScroll, behavior: 'instant' });
};

/**
 * Return where the page begins, in CSS pixels from where `scrollX` is 0: negative on a page that is written from the right, else 0.
 * `width`: of the page, in CSS pixels.
 */
const originLeft = (root, width) => {
  const { direction, writingMode } = styleOf(bodyOf(document) ?? root);
  const isFromRight = writingMode === 'horizontal-tb' ? direction === 'rtl' : writingMode.endsWith('-rl');
  return isFromRight ? clientWidthOf(scrollingElementOf(document) ?? root) - width : 0;
};

/**
 * Return size and scroll position of the page, from its top left corner, and remember the latter for `restoreScroll`. A document without a
 * root element is as large as its window.
 * @returns {PageSize}
 */
const measurePage = () => {
  const root = rootElementOf(document);
  measuredScroll = { left: scrollX, top: scrollY };
  const width = root ? Math.max(scrollWidthOf(root), clientWidthOf(root)) : innerWidth;
  return {
    width,
    height: root ? Math.max(scrollHeightOf(root), clientHeightOf(root)) : innerHeight,
    left: scrollX - (root ? originLeft(root, width) : 0),
    top: scrollY,
    seenWidth: innerWidth,
    seenHeight: innerHeight,
    scale: devicePixelRatio,
  };
};
exported.measurePage = measurePage;

/**
 * Return size and scroll position of the page for a screenshot, once its fonts have loaded. Wait two frames if it has iframes, since those
 * of other processes draw by themselves; for all else Chromium waits itself.
 * @returns {Promise<PageSize>}
 */
exported.measurePageOnceDrawn = async () => {
  await fontsOf(document).ready;
  if (window.length) await waitTwoFrames();
  return measurePage();
};

const MEDIA = new Set(['img', 'video', 'audio', 'source', 'track', 'embed']);

/**
 * Return { url, isApart } of the image or media file that an element shows, or of the file that it links to; null for neither. `isApart`: a
 * click on it would not load the file in the tab itself.
 */
exported.fileOf = (id) => {
  const element = nodeFor(id);
  if (MEDIA.has(localNameOf(element))) return { url: element.currentSrc || element.src || '', isApart: true };
  const link = closest(element, 'a[href], area[href]');
  if (!link) return null;
  const isShownElsewhere = window !== top || !['', '_self', '_top'].includes(attr(link, 'target') ?? '');
  return { url: linkAddressOf(link), isApart: isShownElsewhere && !hasAttr(link, 'download') };
};

// The forms of a page and their fields, those in shadow trees and outside of forms included.

const FORM_FIELDS = 'input,select,textarea,button';
const SECRET_HIDDEN = /token|secret|csrf|xsrf|nonce|api[-_]?key|session/i;
const formOf = {
  input: makeLateGetter('HTMLInputElement', 'form'),
  select: makeLateGetter('HTMLSelectElement', 'form'),
  textarea: makeLateGetter('HTMLTextAreaElement', 'form'),
  button: makeLateGetter('HTMLButtonElement', 'form'),
};

// Types of fields and buttons that their role does not tell.
const TYPES_BEYOND_ROLE = new Set(
  'email tel url date time datetime-local month week color file submit image'.split(' '),
);

/**
 * Return the forms in an element (0: of the page) as { forms: [{ index, action, method, id, fields }] in document order, cut: number of
 * elements read if there are too many to read all, else 0 }. Fields outside of forms are listed last, under the index null.
 */
exported.listForms = (id) => {
  const found = new Map();
  const loose = { index: null, fields: [] };
  beginReading();
  const scope = id ? nodeFor(id) : document;
  for (const element of scope ? formsAndFieldsIn(scope) : []) {
    if (localNameOf(element) === 'form') {
      found.set(element, describeForm(element, found.size));
      continue;
    }
    const form = formOwnerOf(element);
    if (form && !found.has(form)) found.set(form, describeForm(form, found.size));
    (form ? found.get(form) : loose).fields.push(describeField(element));
  }
  return {
    forms: loose.fields.length ? [...found.values(), loose] : [...found.values()],
    cut: elementsReadBeforeLimit(),
  };
};

/**
 * Return the forms that the elements with these ids belong to, as { forms, fields }. `forms`: [{ action: absolute URL, method, id }], each
 * form once. `fields`: for each element [index of its form or -1, its type if its role does not tell it, attribute `name`]; null if it is
 * gone or of another document.
 */
exported.findFormsOf = (ids) => {
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

/**
 * Return the nearest `<form>` around an element; null for none. For an element that HTML makes part of no form, such as an editor or an
 * ARIA list.
 */
function closestForm(element) {
  for (const around of ancestorsOf(element)) {
    if (isElement(around) && localNameOf(around) === 'form' && namespaceOf(around) === HTML) return around;
  }
  return null;
}

/** Return the `type` of a field or button if its ARIA role does not tell it, such as "email"; "" for any other element. */
function typeBeyondRole(element) {
  const tag = namespaceOf(element) === HTML ? localNameOf(element) : '';
  const type = tag === 'input' || tag === 'button' ? element.type : '';
  if (type === 'image') return 'submit';
  return TYPES_BEYOND_ROLE.has(type) && (type !== 'submit' || formOwnerOf(element)) ? type : '';
}

/** Yield every form and field below a root, known shadow trees included, until the limit of elements to read is reached. */
function* formsAndFieldsIn(root) {
  for (const element of elementsBelow(root)) {
    if (!mayRead()) return;
    if (matches(element, `form,${FORM_FIELDS}`)) yield element;
  }
}

/** Return the form that HTML makes a field part of, which need not be around it; null for none. */
const formOwnerOf = (field) => namespaceOf(field) === HTML ? formOf[localNameOf(field)]?.(field) ?? null : null;

/** Return { index, action: absolute URL, method, id, fields: [] } of a form; the caller adds the fields. */
function describeForm(form, index) {
  return {
    index,
    action: absoluteAddress(form, attr(form, 'action') || location.href),
    method: (attr(form, 'method') || 'get').toLowerCase(),
    id: attr(form, 'id') || undefined,
    fields: [],
  };
}

/**
 * Return { tag, type, name, id, placeholder, required, value, checked, options } of a field; undefined for what it does not have. A secret
 * value is masked.
 */
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

/** Return { value, text, selected } of an `<option>`; `selected` is true or undefined. */
function describeOption(option) {
  return { value: option.value, text: cleanText(option.label), selected: option.selected || undefined };
}

/** Return the value of a field as text: a secret one masked, of a file field the names of its files. `tag`: its tag name. */
function printableValue(field, tag) {
  if (tag === 'input' && field.type === 'file') return [...field.files].map((file) => file.name).join(', ');
  if (!field.value) return '';
  const secret = isSecret(field)
    || (tag === 'input' && field.type === 'hidden' && SECRET_HIDDEN.test(attr(field, 'name') || ''));
  return secret ? MASK : field.value;
}

/** Return { multiple, folder } of an `<input type=file>`: whether it takes several files, or a folder; null if it is gone. */
exported.describeFileField = (id) => {
  const field = nodeFor(id);
  return field ? { multiple: field.multiple, folder: field.webkitdirectory } : null;
};
