// States by WAI-ARIA 1.3 and HTML, as they are printed; and which fields are secret.

import { isFormField, NO_LABELS, textOfLabels } from './names.js';
import { roleOf } from './roles.js';
import {
  childElementCountOf,
  closest,
  containsNode,
  localNameOf,
  matches,
  parentNodeOf,
  queryAll,
  rectOf,
  styleOf,
} from '../dom/accessors.js';
import {
  attr,
  cleanText,
  closestWhere,
  hasAttr,
  hasAttrs,
  hasInternals,
  hasOnlyPlainAttributes,
  PerCallCache,
  queryOneIn,
  referencedElements,
  treeOf,
  wordSet,
} from '../dom/dom.js';
import { isHidden } from '../visibility/hidden.js';

// Printed in place of a secret: REDACTED of text/redact.py.
export const MASK = '[redacted]';
const SECRET_AUTOCOMPLETE = /\b(?:one-time-code|current-password|new-password|cc-csc|cc-number)\b/i;
const SECRET_NAME =
  /passw(?:or)?d|passphrase|passwd|\botp\b|one[-_ ]?time[-_ ]?(?:code|pass)|\b(?:totp|2fa|mfa)\b|verification[-_ ]?code|security[-_ ]?code|\bcvv\b|\bcvc\b/i;

const passwords = new WeakSet();
/**
 * Return whether the value of a field must never be printed: passwords, one-time codes, card numbers. A password field stays secret when
 * "show password" has turned it into a text field.
 */
export function isSecret(element) {
  const tag = localNameOf(element);
  if (tag !== 'input' && tag !== 'textarea') return false;
  if (isPasswordField(element)) return true;
  if (SECRET_AUTOCOMPLETE.test(attr(element, 'autocomplete') || '')) return true;
  return isSecretName(`${attr(element, 'name') || ''} ${attr(element, 'id') || ''}`);
}

/** Return whether an `<input>` is for a password, also once "show password" has turned it into a text field. */
function isPasswordField(element) {
  if ((attr(element, 'type') || '').toLowerCase() === 'password') passwords.add(element);
  return passwords.has(element);
}

const knownNames = new Map();
const MAX_KNOWN_NAMES = 500;
/** Return whether a field's name and id (`name`: both) say that its value is secret. Cached: forms and rows have the same few names. */
function isSecretName(name) {
  let answer = knownNames.get(name);
  if (answer === undefined) {
    if (knownNames.size >= MAX_KNOWN_NAMES) knownNames.clear();
    const spaced = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ');
    knownNames.set(name, answer = SECRET_NAME.test(spaced) || SECRET_NAME.test(name));
  }
  return answer;
}

const CHECKABLE = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem']);
// ARIA allows `aria-selected` on no button, but many calendars mark the chosen day so.
const SELECTABLE = wordSet('option tab row gridcell cell columnheader rowheader treeitem button');
const LEVELLED = new Set(['heading', 'treeitem', 'row', 'listitem']);
const DISABLED_BY_ARIA = new Set(`button checkbox combobox columnheader grid gridcell group link listbox menu menubar
  menuitem menuitemcheckbox menuitemradio option radio radiogroup row rowheader scrollbar searchbox separator slider
  spinbutton switch tab tablist textbox toolbar tree treegrid treeitem`.split(/\s+/));

/**
 * Return the states of an element as a snapshot prints them, such as ["checked", "min=0"]. `tag`: its tag name; `plain`: it has only
 * attributes that set no state, such as class, id and href.
 */
export function statesOf(element, role, tag, plain = hasOnlyPlainAttributes(element)) {
  const states = [];
  const aria = hasAttrs(element);
  if (
    tag === 'h1' || tag === 'h2' || tag === 'h3' || tag === 'h4' || tag === 'h5' || tag === 'h6'
    || aria && LEVELLED.has(role)
  ) {
    const level = Number(attr(element, 'aria-level')) || (role === 'heading' ? Number(tag[1]) || 2 : 0);
    if (level) states.push(`level=${level}`);
  }
  if (
    !aria && tag !== 'input' && tag !== 'option' && tag !== 'select' && tag !== 'button' && tag !== 'textarea'
    && tag !== 'summary'
  ) return states;
  addCheckedState(element, role, states);
  if (isAnyDisabledInTree(element) && isDisabled(element, role)) states.push('disabled');
  addExpandedState(element, role, tag, plain, states);
  if (role === 'radio' && !plain) addPositionInSet(element, states);
  if (!plain) addPressedState(element, role, states);
  addSelectedState(element, role, states);
  if (tag === 'input' && isPasswordField(element)) states.push('password');
  if (plain) addInvalidState(element, role, tag, states);
  else addAttributeStates(element, role, tag, states);
  if (tag === 'dialog' && matches(element, ':modal') && !states.includes('modal')) states.push('modal');
  return states;
}

/** Add the states that depend on attributes, such as "readonly" or "min=0", to the printed `states`. */
function addAttributeStates(element, role, tag, states) {
  if (attr(element, 'aria-current') && attr(element, 'aria-current') !== 'false') states.push('current');
  if (TAKES_INPUT.has(role) || tag === 'input') addInputStates(element, tag, states);
  if (attr(element, 'aria-busy') === 'true') states.push('busy');
  if (tag === 'select' && hasAttr(element, 'multiple')) states.push('multiple');
  addLimits(element, role, tag, states);
  if (hasAttrs(element)) addRoleStates(element, role, states);
}

/**
 * Add "invalid", and the states of its role such as `error="…"`, to the printed `states`; add nothing for a valid field.
 * `tag`: its tag name.
 */
function addInvalidState(element, role, tag, states) {
  if (!TAKES_INPUT.has(role) && tag !== 'input' || !isInvalid(element)) return;
  states.push('invalid');
  if (hasAttrs(element)) addRoleStates(element, role, states);
}

const TAKES_INPUT = new Set(
  `checkbox combobox grid gridcell columnheader rowheader listbox menuitemcheckbox menuitemradio radio radiogroup
  scrollbar searchbox slider spinbutton switch tablist textbox tree treegrid application`.split(/\s+/),
);
/** Add "readonly", "required" and "invalid" to the printed `states`, as far as they hold for a field. `tag`: its tag name. */
function addInputStates(element, tag, states) {
  if (isReadonly(element, tag)) states.push('readonly');
  if (hasAttr(element, 'required') && isFormField(element) || attr(element, 'aria-required') === 'true')
    states.push('required');
  if (isInvalid(element)) states.push('invalid');
}

const CAN_BE_PRESSED = new Set(['button', 'link', 'menuitem', 'tab', 'option']);
/**
 * Add whether a toggle button is pressed to the printed `states`. "pressed=false" is added, too, to tell a toggle button from another one.
 */
function addPressedState(element, role, states) {
  if (!CAN_BE_PRESSED.has(role)) return;
  addTristate(element, 'aria-pressed', 'pressed', states);
  if (role === 'button' && attr(element, 'aria-pressed') === 'false') states.push('pressed=false');
}

const ROLES_WITH_LIMITS = new Set(['slider', 'spinbutton', 'scrollbar', 'separator']);
/** Add the minimum and maximum of a number, date or slider to the printed `states`. */
function addLimits(element, role, tag, states) {
  if (!ROLES_WITH_LIMITS.has(role) && !(tag === 'input' && role === 'textbox')) return;
  const native = tag === 'input';
  const min = attr(element, native ? 'min' : 'aria-valuemin');
  const max = attr(element, native ? 'max' : 'aria-valuemax');
  if (min) states.push(`min=${cleanForBrackets(min)}`);
  if (max) states.push(`max=${cleanForBrackets(max)}`);
}

const SORTABLE = new Set(['columnheader', 'rowheader']);
const MULTISELECT_ROLES = new Set(['listbox', 'tree', 'grid', 'treegrid', 'tablist']);
const ROLES_WITH_DESCRIPTION = new Set(
  `button checkbox combobox grid link listbox menuitem menuitemcheckbox menuitemradio option radio radiogroup
  scrollbar searchbox separator slider spinbutton switch tab textbox tree treeitem dialog alertdialog`.split(/\s+/),
);
const ROLES_WITH_ROLEDESCRIPTION = new Set([
  ...ROLES_WITH_DESCRIPTION,
  ...'application article figure group img listitem list main navigation region tabpanel'.split(' '),
]);

/** Add the states that only some roles have, such as `sort=ascending` or `modal`, to the printed `states`. */
function addRoleStates(element, role, states) {
  if (SORTABLE.has(role)) {
    const sort = attr(element, 'aria-sort');
    if (sort && sort !== 'none') states.push(`sort=${cleanForBrackets(sort)}`);
  }
  if (
    MULTISELECT_ROLES.has(role) && localNameOf(element) !== 'select' && attr(element, 'aria-multiselectable') === 'true'
  )
    states.push('multiple');
  if ((role === 'dialog' || role === 'alertdialog') && attr(element, 'aria-modal') === 'true') states.push('modal');
  if (!ROLES_WITH_ROLEDESCRIPTION.has(role)) return;
  const kind = attr(element, 'aria-roledescription');
  if (kind && kind.trim()) states.push(`roledescription="${cleanForBrackets(kind)}"`);
  if (!ROLES_WITH_DESCRIPTION.has(role)) return;
  addPopupState(element, role, states);
  addDescription(element, states);
}

/** Add what an element opens (`aria-haspopup`) to the printed `states`, as "popup=menu"; not the list of a combobox. */
function addPopupState(element, role, states) {
  const popup = attr(element, 'aria-haspopup');
  if (!popup || popup === 'false' || role === 'combobox' && popup === 'listbox') return;
  states.push(popup === 'true' ? 'popup=menu' : `popup=${cleanForBrackets(popup)}`);
}

const MAX_STATE_TEXT = 120;

/** Add the description of an element, and the error message of an invalid one, to the printed `states`. */
function addDescription(element, states) {
  const isMarkedInvalid = states.includes('invalid');
  const errorMessages = isMarkedInvalid ? shownErrorMessages(element) : NO_LABELS;
  const description = descriptionOf(element, errorMessages);
  if (description) states.push(`description="${description}"`);
  const error = !isMarkedInvalid
    ? ''
    : shortenForState(errorMessages.length ? textOfLabels(element, errorMessages) : validationMessageOf(element));
  if (error) states.push(`error="${error}"`);
}

const ROLES_WITH_TOOLTIP = new Set(
  'button checkbox combobox listbox radio searchbox slider spinbutton switch textbox'.split(' '),
);
/**
 * Return [`description="…"`] with the tooltip of a control; [] for none, or if it is in its name or description already. `states`: its
 * other printed states.
 */
export function tooltipState(element, role, name, states) {
  const title = ROLES_WITH_TOOLTIP.has(role) ? attr(element, 'title') : null;
  if (title === null || states.some((state) => state.startsWith('description='))) return NO_LABELS;
  const text = shortenForState(title);
  return text === '' || shortenForState(name).includes(text) ? NO_LABELS : [`description="${text}"`];
}

/**
 * Return the description of an element by `aria-describedby` or `aria-description`, without that of the elements `excluded`; "" for none.
 */
function descriptionOf(element, excluded) {
  const nodes = hasAttr(element, 'aria-describedby')
    ? referencedElements(element, 'aria-describedby').filter((node) => !excluded.includes(node))
    : NO_LABELS;
  if (nodes.length) return shortenForState(textOfLabels(element, nodes));
  const description = attr(element, 'aria-description');
  return description ? shortenForState(description) : '';
}

/** Return the description of an element; its tooltip if it has none. */
export const descriptionOrTooltipOf = (element) =>
  descriptionOf(element, NO_LABELS) || shortenForState(attr(element, 'title') ?? '');

/** Return the elements of `aria-errormessage` that are displayed. */
const shownErrorMessages = (element) =>
  referencedElements(element, 'aria-errormessage').filter((node) => !isHidden(node));
/** Return the browser's own message about the invalid value of a field; "" for none. */
const validationMessageOf = (element) =>
  isFormField(element) && !attr(element, 'aria-invalid') ? element.validationMessage : '';

/** Clean a text for printing in quotation marks within brackets, as `[error="…"]`: replace characters that would end these. */
const cleanForBrackets = (text) => cleanText(text.slice(0, 2 * MAX_STATE_TEXT)).replace(/"/g, '”').replace(/\]/g, ')');
/** Clean a text for quotation marks within brackets, and cut a longer one to MAX_STATE_TEXT characters, "…" included. */
function shortenForState(text) {
  const clean = cleanForBrackets(text);
  return clean.length > MAX_STATE_TEXT ? `${clean.slice(0, MAX_STATE_TEXT - 1)}…` : clean;
}

export const CHECKABLE_ROLE = /^(?:checkbox|switch|radio)$/;
/** Return whether an element is a checkbox or radio button of HTML. */
export const isNativeCheckable = (element) =>
  localNameOf(element) === 'input' && (element.type === 'checkbox' || element.type === 'radio');
/** Add "checked" or "checked=mixed" to the printed `states`; add nothing for an unchecked element. */
function addCheckedState(element, role, states) {
  if (!CHECKABLE.has(role)) return;
  if (isNativeCheckable(element)) {
    const state = checkboxState(element);
    if (state === 'mixed') states.push('checked=mixed');
    else if (state === 'true') states.push('checked');
    return;
  }
  const box = CHECKABLE_ROLE.test(role) ? checkboxInside(element) : null;
  if (box !== null) addCheckedState(box, role, states);
  else addTristate(element, 'aria-checked', 'checked', states);
}

/**
 * Return the state of a checkbox of HTML: "true", "false" or "mixed". If it is invisible, its `aria-checked` counts, since the page draws
 * the box by that, and may set `checked` later.
 */
export function checkboxState(element) {
  const state = attr(element, 'aria-checked');
  if (state !== null && /^(?:true|false|mixed)$/.test(state) && isInvisibleBox(element)) return state;
  return element.indeterminate ? 'mixed' : element.checked ? 'true' : 'false';
}

/** Return whether a checkbox has no size or is transparent, so that its widget draws another one. */
function isInvisibleBox(element) {
  const { width, height } = rectOf(element);
  return width <= 2 || height <= 2 || styleOf(element).opacity === '0';
}

/** Return the only HTML checkbox or radio button in a widget without `aria-checked`, which has its state; null for none or several. */
export function checkboxInside(element) {
  if (childElementCountOf(element) === 0 || hasAttr(element, 'aria-checked')) return null;
  const boxes = queryAll(element, 'input[type=checkbox],input[type=radio]');
  return boxes.length === 1 ? boxes[0] : null;
}

/**
 * Add the position of an element in its set by ARIA, as "2 of 5", to the printed `states`. Stars of a rating may have equal
 * names.
 */
function addPositionInSet(element, states) {
  const [position, size] = [Number(attr(element, 'aria-posinset')), Number(attr(element, 'aria-setsize'))];
  if (position > 0 && size > 0) states.push(`${position} of ${size}`);
}

/** Add `state`, such as "checked", to the printed `states` if the ARIA attribute `name` is "true"; as "checked=mixed" if it is "mixed". */
function addTristate(element, name, state, states) {
  const value = attr(element, name);
  if (value === 'true') states.push(state);
  else if (value === 'mixed') states.push(`${state}=mixed`);
}

/** Return whether any element of the document or shadow tree of this one may be disabled. Cached: on most pages none is. */
const isAnyDisabledInTree = (element) => treesWithDisabled.of(treeOf(element));
// ElementInternals of a custom element may disable it.
const treesWithDisabled = new PerCallCache((root) =>
  hasInternals || queryOneIn(root, ':disabled,[aria-disabled=true]') !== null
);

/** Return whether an element is disabled: by HTML, also through a fieldset, or by `aria-disabled`, also of an ancestor. */
export function isDisabled(element, role = roleOf(element)) {
  if (matches(element, ':disabled')) return true;
  return DISABLED_BY_ARIA.has(role) && isDisabledByAria(element);
}

/** Return whether an element or an ancestor has `aria-disabled=true`. */
export const isDisabledByAria = (element) =>
  closest(element, '[aria-disabled=true]') !== null
  || hasInternals && closestWhere(element, (each) => attr(each, 'aria-disabled') === 'true') !== null;

/** Return the popover that a button opens (`popovertarget`, `commandfor`), as HTML-AAM maps it; null for none, or one that it is in. */
function popoverOpenedBy(element) {
  const opened = attr(element, 'popovertarget') === null
    ? /-popover$/.test(attr(element, 'command') ?? '') ? element.commandForElement : null
    : element.popoverTargetElement;
  return opened && hasAttr(opened, 'popover') && !containsNode(opened, element) ? opened : null;
}

/** Add "expanded" or "collapsed" to the printed `states`, by `<details>`, `aria-expanded` or a popover. */
function addExpandedState(element, role, tag, plain, states) {
  if (tag === 'summary' && role === 'button') {
    states.push(parentNodeOf(element).open ? 'expanded' : 'collapsed');
    return;
  }
  if (plain) return;
  const value = attr(element, 'aria-expanded');
  if (value === 'true') states.push('expanded');
  else if (value === 'false') states.push('collapsed');
  else if (tag === 'button' || tag === 'input') {
    const popover = popoverOpenedBy(element);
    if (popover) states.push(matches(popover, ':popover-open') ? 'expanded' : 'collapsed');
  }
}

/** Add "selected" to the printed `states` of a selected option, tab, row, cell, tree item or button. */
function addSelectedState(element, role, states) {
  if (!SELECTABLE.has(role)) return;
  if (localNameOf(element) === 'option' ? element.selected : attr(element, 'aria-selected') === 'true')
    states.push('selected');
}

/** Return whether an element is read-only, by HTML or ARIA. */
function isReadonly(element, tag) {
  if (attr(element, 'aria-readonly') === 'true') return true;
  if (!hasAttr(element, 'readonly')) return false;
  return tag === 'textarea'
    || tag === 'input' && !['checkbox', 'radio', 'range', 'color', 'file'].includes(element.type);
}

/** Return whether an element is marked invalid, by ARIA or by the browser after input. */
function isInvalid(element) {
  const value = attr(element, 'aria-invalid');
  if (value) return value !== 'false';
  return isFormField(element) && matches(element, ':user-invalid');
}
