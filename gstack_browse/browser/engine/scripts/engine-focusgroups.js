// Roles by the `focusgroup` attribute: of a block that has it, and of what the arrow keys move through in it.
//
// Source: Open UI, scoped focusgroup, "Behavior → role mapping and precedence"; Chromium 156 where that leaves a choice.

import { documentOf, matches } from './engine-accessors.js';
import { attr, calls, hasAttr, OfTrees, parentOf, queryTree, shadowsMet } from './engine-dom.js';
import { explicitRoleOf } from './engine-explicit-roles.js';
import { nativeRoleOf } from './engine-native-roles.js';

// Behaviour, which is the role of the block → the role of what is in it.
const ITEM_OF_BEHAVIOUR = new Map([
  ['toolbar', ''],
  ['tablist', 'tab'],
  ['radiogroup', 'radio'],
  ['listbox', 'option'],
  ['menu', 'menuitem'],
  ['menubar', 'menuitem'],
]);
const IN_TOP_LAYER = ':is(:popover-open, :modal, :fullscreen)'; // leaves the groups around it

// The role of an element that has none by its name.
export function roleInFocusgroup(element) {
  if (hasAttr(element, 'focusgroup')) return behaviourOf(element);
  return hasAttr(element, 'tabindex') && isReachedByArrows(element) ? itemRole(element) : '';
}

// The role of a button that has no other. One that is pressed keeps its state; html-aria has no option that is a button.
export function roleOfButton(element) {
  if (!mayBeInFocusgroup(element)) return 'button';
  if (hasAttr(element, 'focusgroup') || hasAttr(element, 'aria-pressed') || !isReachedByArrows(element))
    return 'button';
  const role = itemRole(element);
  return role === '' || role === 'option' ? 'button' : role;
}

// By the arrow keys, which pass over a negative tabindex.
const isReachedByArrows = (element) => !(Number(attr(element, 'tabindex')) < 0) && !matches(element, ':disabled');

function itemRole(element) {
  const parent = parentOf(element);
  const group = parent && mayBeInFocusgroup(element) ? focusgroupAround(parent) : null;
  if (group === null || explicitRoleOf(group) !== '' || nativeRoleOf(group) !== '') return '';
  return ITEM_OF_BEHAVIOUR.get(behaviourOf(group)) ?? '';
}

function behaviourOf(group) {
  const words = attr(group, 'focusgroup').toLowerCase().split(/\s+/);
  return words.includes('none') ? '' : words.find((word) => ITEM_OF_BEHAVIOUR.has(word)) ?? '';
}

// Most documents have no such attribute, and are asked once.
const documentsWith = new OfTrees((document) => queryTree(document, '[focusgroup]') !== null);
const mayBeInFocusgroup = (element) => shadowsMet || documentsWith.of(documentOf(element));

// The nearest element with the attribute, of an element and those around it; each of them is looked at once per call.
let groupsAround = new Map();
let groupsOfCall = -1;
function focusgroupAround(element) {
  if (groupsOfCall !== calls) [groupsAround, groupsOfCall] = [new Map(), calls];
  const between = [];
  let group = null;
  for (let each = element; each !== null; each = parentOf(each)) {
    if (groupsAround.has(each) || hasAttr(each, 'focusgroup')) {
      group = groupsAround.get(each) ?? (groupsAround.has(each) ? null : each);
      break;
    }
    between.push(each);
    if (matches(each, IN_TOP_LAYER)) break;
  }
  for (const each of between) groupsAround.set(each, group);
  return group;
}
