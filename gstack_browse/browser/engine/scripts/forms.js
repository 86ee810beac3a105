// The forms of a page and their fields, also those of shadow roots and those outside of any form. Changes nothing.

import {
  getter,
  lateGetter,
  localNameOf,
  matches,
  namespaceOf,
  nodeTypeOf,
  queryInDocument,
  queryInFragment,
} from './engine-accessors.js';
import { attr, cleanText, exported, hasAttr, HTML, shadowRootOf } from './engine-dom.js';
import { nodeFor } from './engine-table.js';
import { beginReading, mayRead, readOfMore } from './engine-budget.js';
import { isSecret, MASK } from './engine-states.js';

{
  const FIELDS = 'input,select,textarea,button';
  const SECRET_HIDDEN = /token|secret|csrf|xsrf|nonce|api[-_]?key|session/i;
  const formOf = {
    input: lateGetter('HTMLInputElement', 'form'),
    select: lateGetter('HTMLSelectElement', 'form'),
    textarea: lateGetter('HTMLTextAreaElement', 'form'),
    button: lateGetter('HTMLButtonElement', 'form'),
  };

  /** {forms: [{index, action, method, id, fields}], cut}, in document order; what stands outside of a form has the index null. */
  exported.forms = () => {
    const found = new Map();
    const loose = { index: null, fields: [] };
    beginReading();
    for (const element of formsAndFields(document, mayRead)) {
      if (localNameOf(element) === 'form') {
        found.set(element, describeForm(element, found.size));
        continue;
      }
      const form = ownerOf(element);
      if (form && !found.has(form)) found.set(form, describeForm(form, found.size));
      (form ? found.get(form) : loose).fields.push(describeField(element));
    }
    return { forms: loose.fields.length ? [...found.values(), loose] : [...found.values()], cut: readOfMore() };
  };

  /** Every form and field below a root, open shadow roots (and closed ones that a snapshot found) included. */
  function* formsAndFields(root, may) {
    for (const element of everythingIn(root)) {
      if (!may()) return;
      if (matches(element, `form,${FIELDS}`)) yield element;
      const inner = shadowRootOf(element);
      if (inner) yield* formsAndFields(inner, may);
    }
  }

  const everythingIn = (root) => (nodeTypeOf(root) === 9 ? queryInDocument : queryInFragment)(root, '*');

  const ownerOf = (field) => namespaceOf(field) === HTML ? formOf[localNameOf(field)](field) : null;

  const baseOf = getter(Node, 'baseURI');

  function absolute(form, address) {
    if (!address) return location.href;
    try {
      return new URL(address, baseOf(form)).href;
    } catch {
      return address; // no URL at all
    }
  }

  function describeForm(form, index) {
    return {
      index,
      action: absolute(form, attr(form, 'action')),
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
      value: shownValue(field, tag) || undefined,
      checked: checkable ? field.checked : undefined,
      options: tag === 'select' ? [...field.options].map(describeOption) : undefined,
    };
  }

  function describeOption(option) {
    return { value: option.value, text: cleanText(option.label), selected: option.selected || undefined };
  }

  function shownValue(field, tag) {
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
}
