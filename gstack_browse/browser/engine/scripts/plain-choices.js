// Follows a choice from a list without list markup (plain-lists.js): how its lines are marked, where to press one, the text of the box
// beside its list, and whether that is still open. Changes nothing.

import { localNameOf, queryAll, rectOf } from './engine-accessors.js';
import { ancestorsOf, attr, cleanText, exported, parentOf } from './engine-dom.js';
import { idOf, idOfOnly, nodeFor } from './engine-table.js';
import { styleOf } from './engine-hidden.js';
import { roleOf } from './engine-roles.js';
import { isSecret } from './engine-states.js';
import { insideOf } from './actions.js';
import { namesLabel, opacityOver, TAKES_CHOICE } from './open-lists.js';
import { isOperable } from './visible.js';
// Before this file, which reads `exported` as it loads.
import './plain-lists.js';
import './widget-lists.js';

{
  const { below, contains, isTextField } = exported.widgets;
  const { list, isThere, wordsOf, ownWordsOf, valueOf } = exported.plainLists;

  // A mark alone proves nothing: Fomantic UI calls the line `selected` that the arrow keys are at.
  const MARKED = /(?:^|[\s_-])(?:selected|active|checked|chosen)(?:$|[\s_-])/i;
  const TICK = 'input[type=checkbox],[role=checkbox],[role=menuitemcheckbox]';
  const TICKED = 'input:checked,[role=checkbox][aria-checked=true]';
  const LEVELS_OF_ITEM = 3;

  /** A line with what stands around it alone: the item of the list, which may have its box beside the words. */
  function itemOf(line) {
    let item = line;
    for (const outer of [...ancestorsOf(line)].slice(0, LEVELS_OF_ITEM)) {
      if (outer === list().popup || contains(outer, list().popup) || wordsOf(outer) !== wordsOf(line)) break;
      item = outer;
    }
    return item;
  }

  /** A line, and the two elements around it. */
  const around = (line) => [line, ...[...ancestorsOf(line)].slice(0, 2)];

  const labelOf = (line) => around(line).find((each) => localNameOf(each) === 'label');

  /** Whether the box that belongs to a line is ticked. */
  const isTicked = (line) => Boolean(labelOf(line)?.control?.checked) || queryAll(itemOf(line), TICKED).length > 0;

  const isMarked = (line) =>
    isTicked(line)
    || around(line).some((each) =>
      MARKED.test(attr(each, 'class') || '') || attr(each, 'aria-selected') === 'true'
      || attr(each, 'aria-checked') === 'true'
    );

  /**
   * @typedef {object} PlaceOfLine
   * @property {number} id
   * @property {{x: number, y: number} | null} at
   */

  /**
   * The element to press for a line, and the point of its words in it: an ancestor if the words let presses through.
   * @returns {PlaceOfLine}
   */
  exported.placeOfLine = (id) => {
    const line = nodeFor(id);
    if (!line) return { id, at: null };
    let taking = line;
    while (taking && styleOf(taking).pointerEvents === 'none') taking = parentOf(taking);
    if (!taking || taking === line || !contains(itemOf(line), taking)) return { id, at: null };
    const { left, top, width, height } = rectOf(line);
    return { id: idOf(taking), at: insideOf(taking, { x: left + width / 2, y: top + height / 2 }) };
  };

  /** The texts of a box beside its list, one by one, with the content of its fields. */
  function* shownBy(box) {
    const { popup, lines } = list();
    const isListed = (element) => element === popup || popup === null && lines.includes(element);
    for (const element of [box, ...below(box, isListed)]) {
      if (isListed(element) || !isOperable(element)) continue;
      if (isTextField(element) && !isSecret(element)) yield cleanText(element.value);
      else yield ownWordsOf(element);
    }
  }

  /** Whether a box names a label: by a text that is that, or in which it stands between commas. */
  const names = (box, label) => [...shownBy(box)].some((text) => namesLabel(text, label));

  /** The content of the fields of a box, except the field that narrows down its list. */
  const heldBy = (box) =>
    [box, ...queryAll(box, 'input,select,textarea')].filter((field) => field !== list().typedIn).map(heldIn);

  function heldIn(field) {
    if (localNameOf(field) === 'select') return [...field.selectedOptions].map((option) => option.label).join();
    if (field.type === 'checkbox' || field.type === 'radio') return String(field.checked);
    if ('value' in field) return field.type === 'password' ? '' : String(field.value);
    return attr(field, 'data-value') || '';
  }

  /** The line that was pressed last, as it was then: it may be gone since. */
  let pressed = { id: 0, words: '', value: null };

  /**
   * @typedef {object} PlainOutcome
   * @property {string} shows
   * @property {string} held
   * @property {boolean} holds
   * @property {boolean} named
   * @property {boolean} says
   * @property {boolean} marked
   * @property {boolean} there
   * @property {boolean} open
   */

  /**
   * The outcome of a choice: the text of the box beside its list and the content of its fields, whether these name the pressed line
   * (`named`, `holds`) or have its words in them (`says`), whether the line is marked as chosen, or still there, and whether the list
   * is open. Null if the box has gone.
   * @returns {PlainOutcome | null}
   */
  exported.plainOutcome = (id, lineId) => {
    const [box, line] = [nodeFor(id), nodeFor(lineId)];
    if (!box) return null;
    if (pressed.id !== lineId && line) pressed = { id: lineId, words: wordsOf(line), value: valueOf(line) };
    const held = heldBy(box);
    const shows = [...shownBy(box)].filter(Boolean).join(' ');
    const meant = [pressed.words, pressed.value ?? ''].filter(Boolean);
    return {
      shows,
      held: held.join('\n'),
      holds: held.some((value) => meant.some((word) => namesLabel(value, word))),
      named: names(box, pressed.words),
      says: shows.toLowerCase().includes(pressed.words.toLowerCase()),
      marked: line !== null && isMarked(line),
      there: line !== null,
      open: openLines().length > 0,
    };
  };

  /** The lines of the list that can still be seen. */
  function openLines() {
    const { popup, lines } = list();
    return popup === null ? lines.filter(isThere) : isThere(popup) ? exported.plainLists.revealed() : [];
  }

  const isButton = (element) => roleOf(element) === 'button' && element.type !== 'reset';

  /**
   * @typedef {object} ListState
   * @property {boolean} open
   * @property {string} look what changes as the list moves or fades
   * @property {boolean} several whether it takes several options, as far as its lines show that
   * @property {number} takes the button of its own that takes what is chosen; 0 for none
   * @property {string[]} buttons its buttons by name
   */

  /**
   * The visible state of the list that was opened.
   * @returns {ListState}
   */
  exported.plainState = () => {
    const lines = openLines();
    const buttons = list().popup === null ? [] : lines.map(buttonAround).filter((button) => button !== null);
    const taking = buttons.filter((button) => TAKES_CHOICE.test(wordsOf(button)));
    const { width, height, top } = lines.length > 0
      ? rectOf(list().popup ?? lines[0])
      : { width: 0, height: 0, top: 0 };
    return {
      open: lines.length > 0,
      look: lines.length > 0 ? [lines.length, width, height, top, opacityOver(lines[0])].join() : '',
      several: lines.some((line) => queryAll(itemOf(line), TICK).length > 0) || lines.filter(isMarked).length > 1,
      takes: idOfOnly(taking),
      buttons: buttons.map(wordsOf),
    };
  };

  /** The button that a line of the list is, or is all the words of. */
  function buttonAround(line) {
    const button = around(line).find((each) => localNameOf(each) === 'button' || roleOf(each) === 'button');
    return button && isButton(button) && button !== list().popup && wordsOf(button) === wordsOf(line) ? button : null;
  }

  exported.plainMarks = { isMarked, isTicked, names };
}
