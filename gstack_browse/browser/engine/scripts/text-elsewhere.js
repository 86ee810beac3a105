// Where a text is that a page does not show as it is wanted: in other letters, or in something that cannot be seen. Changes nothing.

import { bodyOf, localNameOf, queryInDocument, textContentOf } from './engine-accessors.js';
import { childrenOf, cleanText, exported, foldedText, isElement, shadowRootOf } from './engine-dom.js';
import { beginReading, mayRead } from './engine-budget.js';
import { idOf } from './engine-table.js';
import { isVisible } from './visible.js';

/**
 * @typedef {object} TextElsewhere
 * @property {'case' | 'hidden' | 'cut' | ''} kind other letters; not rendered; rendered and not to be seen; nowhere
 * @property {number} id the element that has it; 0 for none
 * @property {string} text the line that shows it in other letters
 * @property {string} heading the page's first heading
 */

{
  const LONGEST_TEXT = 2_000_000;
  const LONGEST_LINE = 200;
  const WORDLESS_TAGS = new Set(['script', 'style', 'template', 'noscript']);

  /** @returns {TextElsewhere} */
  exported.textElsewhere = (wanted) => {
    const words = foldedText(wanted);
    const line = exported.linesShown(0).find((shown) => foldedText(shown).includes(words));
    if (line)
      return { kind: 'case', id: exported.whoSays(line), text: line.slice(0, LONGEST_LINE), heading: heading() };
    beginReading();
    const element = words && bodyOf(document) ? innermost(bodyOf(document), words) : null;
    const kind = !element ? '' : isVisible(element) ? 'cut' : 'hidden';
    return { kind, id: element ? idOf(element) : 0, text: '', heading: heading() };
  };

  /** The innermost element that has the words, also in shadow trees; null for none. */
  function innermost(root, words) {
    const inner = shadowRootOf(root);
    for (const child of inner ? [...childrenOf(inner), ...childrenOf(root)] : childrenOf(root)) {
      if (!isElement(child) || WORDLESS_TAGS.has(localNameOf(child)) || !mayRead()) continue;
      const found = innermost(child, words);
      if (found) return found;
      if (hasText(child, words)) return child;
    }
    return null;
  }

  function hasText(element, words) {
    const text = textContentOf(element);
    return text.length < LONGEST_TEXT && foldedText(text).includes(words);
  }

  function heading() {
    for (const one of queryInDocument(document, 'h1,h2,[role=heading]')) {
      if (isVisible(one)) return cleanText(textContentOf(one)).slice(0, LONGEST_LINE);
    }
    return '';
  }
}
