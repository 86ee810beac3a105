// Finds editors that take their keys in an invisible field, and draw their text beside it, each line in a box of its own.

import { closest, localNameOf, offsetWidthOf, queryAll, rectOf, textContentOf } from './engine-accessors.js';
import { attr, hasAttrs, parentOf } from './engine-dom.js';
import { roleOf } from './engine-roles.js';

// An editor's outermost element, and the lines in it.
const LINES = new Map([
  ['.monaco-editor', '.view-lines > .view-line'],
  ['.CodeMirror', '.CodeMirror-code .CodeMirror-line'],
  ['.ace_editor', '.ace_text-layer .ace_line'],
]);
const ANY_EDITOR = [...LINES.keys()].join();
const MAX_FIELD = 8; // CSS pixels: a field this narrow, or in a box this narrow, is for keys only
const MAX_LINES = 500;

// The editor that a field is the way into, or null. Its search field is a field like any other.
export function editorOf(field) {
  if (localNameOf(field) !== 'textarea' && !field.editContext) return null;
  const editor = closest(field, ANY_EDITOR);
  return editor !== null && Math.min(offsetWidthOf(field), parentOf(field)?.offsetWidth ?? 0) <= MAX_FIELD
    ? editor
    : null;
}

// The lines that an editor shows, which it may keep in any order; null for what is no editor's field.
export function drawnFor(field) {
  const editor = editorOf(field);
  if (editor === null) return null;
  const [, selector] = [...LINES].find(([outermost]) => editor.matches(outermost)) ?? [];
  const lines = [...queryAll(editor, selector)].slice(0, MAX_LINES).map((
    line,
  ) => [rectOf(line).top, textContentOf(line)]);
  return lines.sort((one, other) => one[0] - other[0])
    .map(([, text]) => text.replace(/\u200b/g, '').replace(/\u00a0/g, ' ')).join('\n');
}

export function contentRole(element) {
  const role = roleOf(element);
  return role === '' && hasAttrs(element) && isEditingHost(element) ? 'textbox' : role;
}

// Of whatever role: headings of EditorJS 2.31, cells of CKEditor 5's tables.
export function isEditingHost(element) {
  const editable = attr(element, 'contenteditable');
  return editable !== null && editable !== 'false' && editable !== 'inherit';
}
