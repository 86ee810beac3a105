// Shares code for lists that pages build, with ARIA or without: how a text names a choice, and how lists close.

import { ancestorsOf, cleanText } from './engine-dom.js';
import { styleOf } from './engine-hidden.js';

/** Crosses and ticks that stand beside a label, but are no part of it. */
const SIGNS_AT_EDGES = /^[\s×✕✖✗✘⨯✓✔☑]+|[\s×✕✖✗✘⨯✓✔☑]+$/g;
const BETWEEN_LABELS = ',;|·';

export const withoutSigns = (words) => cleanText(words).replace(SIGNS_AT_EDGES, '');
const bareLabel = (words) => withoutSigns(words).toLowerCase();

/** Whether a text is a label, or has it between its separators: "Red, Green" names "Green". Whatever the case. */
export function namesLabel(text, label) {
  const [all, part] = [bareLabel(text), bareLabel(label)];
  if (part === '') return false;
  for (let at = all.indexOf(part); at >= 0; at = all.indexOf(part, at + 1)) {
    const before = all.slice(0, at).trimEnd(), behind = all.slice(at + part.length).trimStart();
    const isFree = (end) => end === undefined || BETWEEN_LABELS.includes(end);
    if (isFree(before.at(-1)) && isFree(behind[0])) return true;
  }
  return false;
}

/** A path through groups or branches, such as "Asia > Japan", with " / " between its steps. */
export const normalizePath = (words) => words.split(/\s*[/>›»→]\s*/).join(' / ');

/** Names of buttons that confirm a choice in a list. In other languages "OK" is mostly the same. */
export const TAKES_CHOICE = /^(?:ok(?:ay)?|apply|done|confirm)$/i;

/** Names of a button without text that opens the list of a field. */
export const CALLED_ARROW = /(?:^|[\s_-])(?:arrow|caret|chevron|toggle|trigger|expand|drop-?down|ddl)(?:$|[\s_-])/i;

/** How much of an element shows through what is around it. */
export function opacityOver(element) {
  let shown = 1;
  for (const each of [element, ...ancestorsOf(element)]) shown *= Number(styleOf(each).opacity);
  return shown;
}
