// Hosts of shadow trees that draw one control and are used for that: buttons, checkboxes and fields of widget libraries (Shoelace).
// Actions and questions about such a host apply to the control. Changes nothing.

import { matches, rectOf } from './engine-accessors.js';
import { attr, childrenOf, hasAttr, isElement, shadowRootOf } from './engine-dom.js';
import { explicitRoleOf } from './engine-explicit-roles.js';
import { labelsOf } from './engine-relations.js';

const DRAWN_BUTTON = 'button,[role=button],input[type=button],input[type=submit],input[type=reset]';
const DRAWN_FIELD =
  'input:not([type=hidden],[type=button],[type=submit],[type=reset]),select,textarea,[contenteditable=""],[contenteditable=true],'
  + '[role=checkbox],[role=switch],[role=radio],[role=slider],[role=spinbutton],[role=combobox],[role=textbox],[role=searchbox]';
const MOST_DRAWN = 300;

/** Fields and buttons as a person meets them in an element, slotted ones too; null where there is too much in it. */
function controlsIn(host) {
  const found = [];
  const waiting = [host];
  for (let seen = 0; waiting.length; seen++) {
    if (seen > MOST_DRAWN) return null;
    for (const child of childrenOf(waiting.pop())) {
      if (!isElement(child) || attr(child, 'aria-hidden') === 'true') continue;
      if (matches(child, `${DRAWN_FIELD},${DRAWN_BUTTON}`)) found.push(child);
      else waiting.push(child);
    }
  }
  return found;
}

/** The control that a host is used for: its only field, whatever buttons belong to that, or its only button; null for none. */
function drawnControlOf(host) {
  if (!shadowRootOf(host) || explicitRoleOf(host)) return null;
  const all = controlsIn(host) || [];
  const fields = all.filter((control) => matches(control, DRAWN_FIELD));
  const used = fields.length ? fields : all;
  return used.length === 1 && (hasAttr(host, 'disabled') || isInTheMiddle(host, used[0])) ? used[0] : null;
}

/** Whether the middle of a host belongs to the control and its labels: a card with a button in a corner is no button. */
function isInTheMiddle(host, control) {
  const outer = rectOf(host);
  const [x, y] = [outer.left + outer.width / 2, outer.top + outer.height / 2];
  const boxes = [control, ...labelsOf(control)].map(rectOf).filter((box) => box.width > 0);
  const least = (side) => Math.min(...boxes.map((box) => box[side]));
  const most = (side) => Math.max(...boxes.map((box) => box[side]));
  return least('left') <= x && x <= most('right') && least('top') <= y && y <= most('bottom');
}

/** The element to ask about when a person asks about an element: the control of a host, else itself. */
export const usedFor = (element) => drawnControlOf(element) ?? element;
