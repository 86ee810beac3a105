// The role that assistive technology is told: wai-aria 1.3 for what an attribute and an element's name come to together.

import { exported, hasAttr, hasAttrs } from './engine-dom.js';
import { explicitRoleOf, isFocusable } from './engine-explicit-roles.js';
import { roleInFocusgroup } from './engine-focusgroups.js';
import { nativeRoleOf } from './engine-native-roles.js';

// Attributes that every role supports: with one of them role=none is ignored (wai-aria 1.2, conflict resolution).
const GLOBAL_ARIA = [
  'aria-atomic',
  'aria-busy',
  'aria-controls',
  'aria-current',
  'aria-describedby',
  'aria-details',
  'aria-dropeffect',
  'aria-flowto',
  'aria-grabbed',
  'aria-keyshortcuts',
  'aria-label',
  'aria-labelledby',
  'aria-live',
  'aria-owns',
  'aria-relevant',
  'aria-roledescription',
];
export const NAME_PROHIBITED = new Set([
  '',
  'caption',
  'code',
  'deletion',
  'emphasis',
  'insertion',
  'paragraph',
  'strong',
  'subscript',
  'superscript',
  'none',
  'presentation',
  'generic',
  'mark',
  'suggestion',
  'term',
  'time',
  'definition',
]);

// The role that assistive technology is told, '' for generic; presentational elements are generic too.
export function roleOf(element) {
  const explicit = hasAttrs(element) ? explicitRoleOf(element) : '';
  if (explicit === 'none' || explicit === 'presentation') {
    return mustBeExposed(element) ? nativeRoleOf(element) || roleInFocusgroup(element) : '';
  }
  return explicit === 'generic' ? '' : explicit || nativeRoleOf(element) || roleInFocusgroup(element);
}

export function mustBeExposed(element) {
  return isFocusable(element) || GLOBAL_ARIA.some((name) => hasAttr(element, name));
}

Object.assign(exported, { roleOf, explicitRoleOf, nativeRoleOf, isFocusable });
