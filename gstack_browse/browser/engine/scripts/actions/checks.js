// Tells which fields can be checked, and what kind of value the others take, by HTML and by ARIA. Changes nothing.

import { widgetRule } from '../widgets/rule-table.js';
import { otherFill } from '../widgets/steps.js';
import { explicitRoleOf, roleOf } from '../accname/roles.js';
import { boxState, checkboxInside, isNativeCheckable } from '../accname/states.js';
import { fieldContent, fillKind } from './fields.js';
import { closest, localNameOf } from '../dom/accessors.js';
import { attr, closestWhere, exported, hasAttr } from '../dom/dom.js';
import { nodeWithInternals } from '../dom/internals.js';
import { idOf, nodeFor } from '../dom/node-table.js';
import { lookOf } from '../selectors/matching.js';
import { hasBox } from '../visibility/visible.js';
import { descendantsInFlatTree, isOpener, isRadio, outermost, standIn } from '../widgets/widgets.js';

/**
 * @typedef {object} FieldLook
 * @property {number} id
 * @property {string} text
 * @property {'select' | 'list' | 'file' | 'radio' | 'check' | 'text' | ''} kind
 * @property {boolean} takesText
 */

/**
 * @typedef {object} CheckState
 * @property {number} id
 * @property {string} text
 * @property {boolean} radio
 * @property {'true' | 'false' | 'mixed'} state
 * @property {string} rule
 */

const CHECKED = new Set(['checkbox', 'switch', 'radio', 'menuitemcheckbox', 'menuitemradio']);
const ITEMS_WITH_STATE = new Set(['treeitem', 'option', 'row']);
const ALSO_WITH_STATE = new Set(['option', 'treeitem']);

/**
 * Whether an element can be checked by itself: a checkbox or radio button of HTML, an ARIA role with a checked state, or a toggle
 * button.
 */
function isCheckable(element) {
  if (isNativeCheckable(element)) return true;
  const role = roleOf(element);
  return CHECKED.has(role) || ALSO_WITH_STATE.has(role) && hasAttr(element, 'aria-checked')
    || role === 'button' && hasAttr(element, 'aria-pressed');
}

/** Whether an element is a nested tree item, or a group of such: its checkboxes are not those of the item around. */
const isOfBranch = (element) => explicitRoleOf(element) === 'group' || explicitRoleOf(element) === 'treeitem';

/** Whether an element is an icon that a tree draws as its checkbox, known by a rule. */
const isIconOfBox = (element) =>
  !isNativeCheckable(element) && !CHECKED.has(explicitRoleOf(element)) && checkboxRuleName(element) !== ''
  && itemOfIcon(element) !== null;
/** Return the name of the rule by which an element is the icon of a checkbox; "" for none. */
const checkboxRuleName = (element) => widgetRule('checkbox', element)?.name ?? '';
/** Return the tree item that an icon stands in and that says whether it is ticked; null for none. */
const itemOfIcon = (icon) => closestWhere(icon, (each) => explicitRoleOf(each) === 'treeitem' && hasTickedState(each));
/** Whether an element says by ARIA whether it is ticked. */
const hasTickedState = (element) => hasAttr(element, 'aria-checked') || hasAttr(element, 'aria-selected');

/**
 * Return the only checkbox that a tree draws in an item, beside the text that selects the item; null for none, and for one that takes no
 * press. Seen in Quasar and Ant Design.
 */
function checkboxOfItem(item) {
  if (explicitRoleOf(item) !== 'treeitem') return null;
  /** Whether an element is a drawn checkbox. */
  const isDrawnBox = (element) =>
    isNativeCheckable(element) || CHECKED.has(explicitRoleOf(element)) || isIconOfBox(element);
  const found = [...descendantsInFlatTree(item, (element) => isOfBranch(element) || isDrawnBox(element))].filter(
    isDrawnBox,
  );
  return found.length === 1 && isBoxShown(found[0]) && getComputedStyle(found[0]).pointerEvents !== 'none'
    ? found[0]
    : null;
}

/** Whether a checkbox can be seen, or is drawn by the label around it. Seen in Arco. */
function isBoxShown(box) {
  const label = hasBox(box) ? null : closest(box, 'label');
  return label === null ? hasBox(box) : label.control === box && hasBox(label);
}

/**
 * Return the element itself, what its label is for, what it is in, or the only one in it, whichever can be checked; null for none and for
 * several.
 */
function checkableOf(element) {
  if (isIconOfBox(element)) return element;
  if (isCheckable(element))
    return isNativeCheckable(element) ? element : checkboxInside(element) ?? checkboxOfItem(element) ?? element;
  const label = closest(element, 'label');
  if (label && label.control && isCheckable(label.control)) return label.control;
  const outer = closestWhere(element, (each) => hasAttr(each, 'role') || localNameOf(each) === 'button');
  const box = outer && checkboxOfItem(outer);
  if (box || outer && isCheckable(outer)) return box || outer;
  const inner = outermost(element, isCheckable);
  return inner.length === 1 ? inner[0] : null;
}

/** Return the item that an ARIA checkbox stands in and that says whether it is ticked, where the checkbox itself does not. */
function itemWithState(element) {
  if (!CHECKED.has(explicitRoleOf(element)) || hasAttr(element, 'aria-checked')) return null;
  const item = closestWhere(element, (each) => ITEMS_WITH_STATE.has(explicitRoleOf(each)));
  return item && hasTickedState(item) ? item : null;
}

/** Return "true", "mixed" or "false": the state of a checkbox, radio button, toggle button or tree item. */
function tickedState(element) {
  if (isNativeCheckable(element)) return boxState(element);
  const item = isIconOfBox(element) ? itemOfIcon(element) : itemWithState(element) ?? element;
  const said = attr(item, 'aria-checked') ?? attr(item, item === element ? 'aria-pressed' : 'aria-selected');
  return said === 'true' || said === 'mixed' ? said : 'false';
}

/** Return whether the checkbox of an element is checked, or the option selected; null for an element without either. */
export function isChecked(element) {
  if (localNameOf(element) === 'option') return element.selected;
  const found = checkableOf(element);
  return found && tickedState(found) === 'true';
}

/**
 * Return the control that a person checks for an element, with its state; `id` is 0 for none. Null for an element that is gone.
 * @returns {CheckState | null}
 */
exported.checkState = (id) => {
  const element = nodeWithInternals(id);
  if (!element) return null;
  const found = checkableOf(element);
  if (!found) return { id: 0, text: lookOf(element), radio: false, state: 'false', rule: '' };
  return {
    id: idOf(found),
    text: lookOf(found),
    radio: /radio$/.test(roleOf(found)),
    state: tickedState(found),
    rule: isIconOfBox(found) ? checkboxRuleName(found) : '',
  };
};

/** Return the kind of value that a field takes: "select", "list" (of a widget), "file", "radio", "check", "text"; "" for none. */
function kindOfValue(element) {
  const name = localNameOf(element);
  if (name === 'select') return 'select';
  if (name === 'input' && element.type === 'file') return 'file';
  if (isCheckable(element)) return isRadio(element) ? 'radio' : 'check';
  if (isOpener(element) && !(name === 'input' && hasAttr(element, 'list'))) return 'list';
  if (fillKind(element) || otherFill(element)) return 'text';
  return roleOf(element) === 'listbox' ? 'list' : '';
}

/** Return the field that a person would use for an element: itself, that of a label, or the one that it hides or contains. */
function usedFieldOf(element) {
  if (kindOfValue(element)) return element;
  if (localNameOf(element) === 'label' && element.control) return element.control;
  const other = standIn(idOf(element), 'select') || standIn(idOf(element), 'fill');
  return (other ? nodeFor(other) : checkableOf(element)) || element;
}

/**
 * Return the kind of a field, for `fill-form` before it fills any; null when it is gone.
 * @returns {FieldLook | null}
 */
exported.fieldLook = (id) => {
  const element = nodeWithInternals(id);
  if (!element) return null;
  const field = usedFieldOf(element);
  return {
    id: idOf(field),
    text: lookOf(field),
    kind: kindOfValue(field),
    takesText: Boolean(fillKind(field)) && !field.readOnly,
  };
};

/**
 * Return the content of a native text field; null for any other element.
 * @returns {import('./fields.js').FieldContent | null}
 */
exported.heldText = (id) => {
  const element = nodeFor(id);
  return element && fillKind(element) === 'text' ? fieldContent(id) : null;
};
