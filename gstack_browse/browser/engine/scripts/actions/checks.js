// Which elements can be checked, and their state; what kind of value fields take, by HTML and ARIA. Changes nothing.

import { explicitRoleOf, roleOf } from '../accname/roles.js';
import { checkboxInside, checkboxState, isNativeCheckable } from '../accname/states.js';
import { fillKind } from '../accname/values.js';
import { readFieldContent } from './fields.js';
import { closest, localNameOf } from '../dom/accessors.js';
import { attr, closestWhere, exported, hasAttr } from '../dom/dom.js';
import { nodeWithInternals } from '../dom/internals.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { hasBox } from '../layout/visible.js';
import { briefDescriptionOf } from '../selectors/matching.js';
import { findWidgetRule } from '../widgets/rules.js';
import { nonTextFillKind } from '../widgets/steps.js';
import { descendantsInFlatTree, findReplacementWidget, isOpener, isRadio } from '../widgets/widgets.js';

const CHECKABLE_ROLES = new Set(['checkbox', 'switch', 'radio', 'menuitemcheckbox', 'menuitemradio']);
const ITEMS_WITH_STATE = new Set(['treeitem', 'option', 'row']);
const ROLES_MADE_CHECKABLE = new Set(['option', 'treeitem']); // by `aria-checked`

/**
 * Return whether an element can be checked by itself: a checkbox or radio button of HTML, an ARIA role with a checked state, or a toggle
 * button.
 */
function isCheckable(element) {
  if (isNativeCheckable(element)) return true;
  const role = roleOf(element);
  return CHECKABLE_ROLES.has(role) || ROLES_MADE_CHECKABLE.has(role) && hasAttr(element, 'aria-checked')
    || role === 'button' && hasAttr(element, 'aria-pressed');
}

/** Return whether an element in a tree item is a nested item or a group of these: its checkboxes are not those of the outer item. */
const isNestedBranch = (element) => explicitRoleOf(element) === 'group' || explicitRoleOf(element) === 'treeitem';

/** Return whether an element is an icon that a library draws as the checkbox of a tree item: one of our widget rules knows it. */
const isCheckboxIcon = (element) =>
  !isNativeCheckable(element) && !CHECKABLE_ROLES.has(explicitRoleOf(element)) && checkboxRuleName(element) !== ''
  && itemOfIcon(element) !== null;
/** Return the name of the widget rule that recognises an element as a checkbox drawn by a library; "" for none. */
const checkboxRuleName = (element) => findWidgetRule('checkbox', element)?.name ?? '';
/** Return the nearest tree item around an icon that has `aria-checked` or `aria-selected`; null for none. */
const itemOfIcon = (icon) => closestWhere(icon, (each) => explicitRoleOf(each) === 'treeitem' && hasAriaState(each));
/** Return whether an element has `aria-checked` or `aria-selected`. */
const hasAriaState = (element) => hasAttr(element, 'aria-checked') || hasAttr(element, 'aria-selected');

/**
 * Return the only checkbox in a tree item, apart from nested items; null for none or several, and for one with `pointer-events: none`. Seen
 * in Quasar and Ant Design, where a press on the text selects the item.
 */
function checkboxOfItem(item) {
  if (explicitRoleOf(item) !== 'treeitem') return null;
  /** Return whether an element is a checkbox, by its tag, role or a widget rule. */
  const isCheckbox = (element) =>
    isNativeCheckable(element) || CHECKABLE_ROLES.has(explicitRoleOf(element)) || isCheckboxIcon(element);
  const found = [...descendantsInFlatTree(item, (element) => isNestedBranch(element) || isCheckbox(element))].filter(
    isCheckbox,
  );
  return found.length === 1 && isCheckboxVisible(found[0]) && getComputedStyle(found[0]).pointerEvents !== 'none'
    ? found[0]
    : null;
}

/** Return whether a checkbox is displayed, or the label around it, which draws it. Seen in Arco. */
function isCheckboxVisible(checkbox) {
  const label = hasBox(checkbox) ? null : closest(checkbox, 'label');
  return label === null ? hasBox(checkbox) : label.control === checkbox && hasBox(label);
}

/**
 * Return the control that `check` on an element acts on: the element itself, the control of the label around it, the checkable element
 * around it, or the only one in it; null for none or several.
 */
function findCheckable(element) {
  if (isCheckboxIcon(element)) return element;
  if (isCheckable(element))
    return isNativeCheckable(element) ? element : checkboxInside(element) ?? checkboxOfItem(element) ?? element;
  const label = closest(element, 'label');
  if (label && label.control && isCheckable(label.control)) return label.control;
  const outer = closestWhere(element, (each) => hasAttr(each, 'role') || localNameOf(each) === 'button');
  const box = outer && checkboxOfItem(outer);
  if (box || outer && isCheckable(outer)) return box || outer;
  const isSkipped = explicitRoleOf(element) === 'treeitem' ? isNestedBranch : () => false;
  const inner = [...descendantsInFlatTree(element, (each) => isSkipped(each) || isCheckable(each))].filter(
    (each) => !isSkipped(each) && isCheckable(each),
  );
  return inner.length === 1 ? inner[0] : null;
}

/** Return the tree item, option or row around an ARIA checkbox, if that has the checked state and the checkbox has none; else null. */
function itemHoldingState(element) {
  if (!CHECKABLE_ROLES.has(explicitRoleOf(element)) || hasAttr(element, 'aria-checked')) return null;
  const item = closestWhere(element, (each) => ITEMS_WITH_STATE.has(explicitRoleOf(each)));
  return item && hasAriaState(item) ? item : null;
}

/** Return the checked state of a checkbox, radio button, toggle button or item: "true", "mixed" or "false" (also if it has no state). */
function readCheckedState(element) {
  if (isNativeCheckable(element)) return checkboxState(element);
  const item = isCheckboxIcon(element) ? itemOfIcon(element) : itemHoldingState(element) ?? element;
  const state = attr(item, 'aria-checked') ?? attr(item, item === element ? 'aria-pressed' : 'aria-selected');
  return state === 'true' || state === 'mixed' ? state : 'false';
}

/**
 * Return whether an `<option>` is selected, or the control that the command `check` on any other element acts on is checked; null without
 * such a control.
 */
export function isChecked(element) {
  if (localNameOf(element) === 'option') return element.selected;
  const found = findCheckable(element);
  return found && readCheckedState(found) === 'true';
}

/**
 * Return the control that the command `check` on an element acts on, with its state: { id: 0 for none, text: its description, radio, state:
 * "true", "false" or "mixed", rule: name of the widget rule that recognises it, "" for none }. Null for an element that is gone.
 * @returns {CheckState | null}
 */
exported.readCheckState = (id) => {
  const element = nodeWithInternals(id);
  if (!element) return null;
  const found = findCheckable(element);
  if (!found) return { id: 0, text: briefDescriptionOf(element), radio: false, state: 'false', rule: '' };
  return {
    id: idOf(found),
    text: briefDescriptionOf(found),
    radio: /radio$/.test(roleOf(found)),
    state: readCheckedState(found),
    rule: isCheckboxIcon(found) ? checkboxRuleName(found) : '',
  };
};

/** Return the kind of value that a field takes: "select", "list" (of a widget), "file", "radio", "check", "text"; "" for none. */
function kindOfValue(element) {
  const name = localNameOf(element);
  if (name === 'select') return 'select';
  if (name === 'input' && element.type === 'file') return 'file';
  if (isCheckable(element)) return isRadio(element) ? 'radio' : 'check';
  if (isOpener(element) && !(name === 'input' && hasAttr(element, 'list'))) return 'list';
  if (fillKind(element) || nonTextFillKind(element)) return 'text';
  return roleOf(element) === 'listbox' ? 'list' : '';
}

/**
 * Return the field to use for an element: itself if it takes a value, else the control of a label, the widget that replaces it, or the only
 * checkable control. Return the element if there is none.
 */
function findFieldToUse(element) {
  if (kindOfValue(element)) return element;
  if (localNameOf(element) === 'label' && element.control) return element.control;
  const other = findReplacementWidget(idOf(element), 'select') || findReplacementWidget(idOf(element), 'fill');
  return (other ? nodeFor(other) : findCheckable(element)) || element;
}

/**
 * Return the field that the command `fill-form` uses for an element, and how to fill it: { id and description (text) of the field, kind:
 * "select", "list" (of a widget), "file", "radio", "check", "text" or "", takesText: whether text can be written into it }. Null for an
 * element that is gone.
 * @returns {FieldKind | null}
 */
exported.findFieldToFill = (id) => {
  const element = nodeWithInternals(id);
  if (!element) return null;
  const field = findFieldToUse(element);
  return {
    id: idOf(field),
    text: briefDescriptionOf(field),
    kind: kindOfValue(field),
    takesText: Boolean(fillKind(field)) && !field.readOnly,
  };
};

/**
 * Return the content of an HTML text field, { value, secret }; null for any other element.
 * @returns {import('./fields.js').FieldContent | null}
 */
exported.readNativeTextField = (id) => {
  const element = nodeFor(id);
  return element && fillKind(element) === 'text' ? readFieldContent(id) : null;
};

// Types.

/**
 * @typedef {{ id: number, text: string, kind: 'select' | 'list' | 'file' | 'radio' | 'check' | 'text' | '', takesText: boolean }} FieldKind
 */

/** @typedef {{ id: number, text: string, radio: boolean, state: 'true' | 'false' | 'mixed', rule: string }} CheckState */
