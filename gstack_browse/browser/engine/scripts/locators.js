// Proposes a selector for an element, for a test that is to find it tomorrow.

import { firstChildOf, localNameOf, nodeTypeOf, parentNodeOf, rootOf } from './engine-accessors.js';
import { attr, exported, siblingsFrom } from './engine-dom.js';
import { nodeFor } from './engine-table.js';
import { roleOf } from './engine-roles.js';
import { nameOf } from './engine-names.js';
import { isOnlyMatch } from './matching.js';

{
  const LONGEST_NAME = 80;
  const MADE_BY_BUILD = /\d{3,}|^:|--|__|[0-9a-f]{6,}|^(?:ember|react|radix|mui|headlessui)/i;

  /** The best selector that means only this element; "" for none, as in a closed shadow tree; null when the element is gone. */
  exported.locator = (id) => {
    const element = nodeFor(id);
    return element && (selectorsOf(element).find((selector) => isOnlyMatch(element, selector)) ?? '');
  };

  /** Selectors as a person types them, the best first. They may mean other elements, too. */
  function selectorsOf(element) {
    const found = [];
    const testId = attr(element, 'data-testid');
    if (testId) found.push(`testid=${quoted(testId)}`);
    const [role, name] = [roleOf(element), nameOf(element)];
    if (role && name && name.length <= LONGEST_NAME) found.push(`role=${role}[name=${quoted(name)}]`);
    for (const attribute of ['placeholder', 'alt', 'title']) {
      const words = attr(element, attribute);
      if (words && words.length <= LONGEST_NAME) found.push(`${attribute}=${quoted(words)}`);
    }
    const own = attr(element, 'id');
    if (own && !MADE_BY_BUILD.test(own)) found.push(`#${CSS.escape(own)}`);
    const field = attr(element, 'name');
    if (field) found.push(`${localNameOf(element)}[name=${quoted(field)}]`);
    found.push(pathOf(element));
    return found;
  }

  const quoted = (words) => `"${words.replace(/["\\]/g, '\\$&')}"`;

  /** From the nearest element with an id of its own, or from the top. */
  function pathOf(element) {
    const steps = [];
    for (let each = element; each && nodeTypeOf(each) === 1; each = parentNodeOf(each)) {
      const own = attr(each, 'id');
      if (own && !MADE_BY_BUILD.test(own) && each !== element) {
        steps.unshift(`#${CSS.escape(own)}`);
        break;
      }
      steps.unshift(stepTo(each));
    }
    const root = rootOf(element);
    const host = root.host ? `${pathOf(root.host)} ` : '';
    return host + steps.join(' > ');
  }

  function stepTo(element) {
    const name = CSS.escape(localNameOf(element));
    const parent = parentNodeOf(element);
    const alike = parent
      ? [...siblingsFrom(firstChildOf(parent))].filter((node) =>
        nodeTypeOf(node) === 1 && localNameOf(node) === localNameOf(element)
      )
      : [];
    return alike.length > 1 ? `${name}:nth-of-type(${alike.indexOf(element) + 1})` : name;
  }
}
