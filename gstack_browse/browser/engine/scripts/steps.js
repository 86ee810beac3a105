// What keys move step by step: sliders, spin buttons and splitters that are no native fields. Looks, and moves the focus.

import { attr, exported, hasAttr } from './engine-dom.js';
import { nodeFor } from './engine-table.js';
import { explicitRoleOf } from './engine-explicit-roles.js';
import { roleOf } from './engine-roles.js';

{
  const STEPPED = new Set(['slider', 'spinbutton', 'separator', 'scrollbar']);

  /** Whether the element is a slider or its like that a page has built itself. */
  exported.isStepped = (element) =>
    STEPPED.has(explicitRoleOf(element)) && hasAttr(element, 'aria-valuenow') && !exported.fillKind(element);

  /** How `fill` can be done where it is no matter of text: "steps", "choice" for radio buttons, "" for neither. */
  exported.otherFill = (element) => {
    if (exported.isStepped(element)) return 'steps';
    const role = roleOf(element);
    return role === 'radio' || role === 'radiogroup' ? 'choice' : '';
  };

  const number = (element, name) => hasAttr(element, name) ? Number(attr(element, name)) : null;

  /** Where it stands: `now` and its limits as numbers (null where it does not say), `text` as a person hears it. */
  exported.position = (id) => {
    const element = nodeFor(id);
    if (!element) return null;
    return {
      now: number(element, 'aria-valuenow'),
      min: number(element, 'aria-valuemin'),
      max: number(element, 'aria-valuemax'),
      text: attr(element, 'aria-valuetext') || '',
    };
  };
}
