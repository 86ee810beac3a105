// The buttons of a widget that opens a list: the one that opens the list, and those in what it opens. Changes nothing.

import { bodyOf, matches, textContentOf } from './engine-accessors.js';
import { attr, cleanText, exported, hasAttr, parentOf } from './engine-dom.js';
import { idOfOnly, nodeFor } from './engine-table.js';
import { nameOf } from './engine-names.js';
import { REMOVES } from './engine-hints.js';
import { CALLED_ARROW, TAKES_CHOICE } from './open-lists.js';
import { crossAround } from './own-words.js';
// Before this file, which reads `exported` as it loads.
import './widget-choices.js';

{
  const { isVisible } = exported;
  const { isOpener, outermost, contains, opened, inAllTrees, surroundings } = exported.widgets;

  const BUTTON = 'button,[role=button],input[type=button],input[type=submit]';

  /** The buttons that could be seen before the widget was opened. */
  let standing = new WeakSet();

  /** Remember which buttons there are to see before a widget is opened. */
  exported.rememberButtons = () => {
    standing = new WeakSet([...inAllTrees(BUTTON)].filter(isVisible));
  };

  const wordsOf = (button) => cleanText(nameOf(button) || '');

  /**
   * @typedef {object} ListButtons
   * @property {number} takes
   * @property {string[]} names
   */

  /**
   * The buttons that came with an open list and stand around its options: the one that confirms the choice (0 for none, and for
   * several), and the names of all. DevExtreme (`applyValueMode: useButtons`) forgets a choice that no button has confirmed.
   * @returns {ListButtons}
   */
  exported.listButtons = (id) => {
    const widget = nodeFor(id);
    const open = widget && isOpener(widget) ? opened(widget) : null;
    const part = open ? popupOf(open.list, widget) : null;
    const buttons = part ? outermost(part, (element) => isOfList(element, open)) : [];
    const taking = buttons.filter((button) => TAKES_CHOICE.test(wordsOf(button)));
    return {
      takes: idOfOnly(taking),
      names: buttons.map(wordsOf).filter(Boolean),
    };
  };

  /** The part of the page around a list that holds neither the widget nor a button that could be seen before. */
  function popupOf(list, widget) {
    let popup = list;
    for (
      let part = parentOf(list);
      part && part !== bodyOf(document) && !contains(part, widget);
      part = parentOf(part)
    ) {
      if (outermost(part, (element) => standing.has(element)).length > 0) break;
      popup = part;
    }
    return popup;
  }

  const isOfList = (element, { options }) =>
    matches(element, BUTTON) && isVisible(element)
    && !options.some((option) => contains(option, element) || contains(element, option));

  const OPENS_LIST =
    /^(?:open|show)$|\b(?:expand|toggle|drop-?\s?down|arrow|caret|chevron|down|suggestions|options|list|pop-?up)\b/i;

  /** The button without words in or beside a field that says that it opens the list; 0 for none, and for several. */
  exported.openingButton = (id) => {
    const widget = nodeFor(id);
    if (!widget || !isOpener(widget)) return 0;
    const part = surroundings(widget);
    const found = outermost(part, (element) => element !== widget && opensList(element, part));
    return idOfOnly(found);
  };

  function opensList(element, part) {
    if (!matches(element, BUTTON) && attr(element, 'role') !== 'presentation' || !isVisible(element)) return false;
    if (/[\p{L}\p{N}]{2}/u.test(textContentOf(element))) return false; // a button of its own
    const [words, called] = [wordsOf(element), attr(element, 'class') || ''];
    if (crossAround(part, element) || REMOVES.test(`${words} ${called}`)) return false;
    return attr(element, 'aria-haspopup') === 'listbox' || hasAttr(element, 'aria-expanded') || OPENS_LIST.test(words)
      || words.length < 2 && CALLED_ARROW.test(called);
  }
}
