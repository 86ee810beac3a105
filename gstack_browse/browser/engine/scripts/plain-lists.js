// Lists of options that say nothing of themselves: a box of which only its classes or `aria-expanded` say that it opens, and what
// can be seen once it has been pressed. Changes nothing but scroll positions.

import { dataOf, localNameOf, queryAll, rectOf } from './engine-accessors.js';
import { ancestorsOf, attr, childrenOf, cleanText, exported, hasAttr, isText } from './engine-dom.js';
import { idOf, nodeFor } from './engine-table.js';
import { nameOf } from './engine-names.js';
import { hitAt } from './hits.js';

{
  const { isVisible, fillKind } = exported;
  const { LEVELS, below, contains, isCalledList, saysItOpens, standIns } = exported.widgets;

  const CHOOSES = /(?:^|[\s_-])(?:dropdown|select\d*|selectize|selectric|chosen|combo(?:box)?)(?:$|[\s_-])/i; // no picker: of dates one types
  const MARKED = /(?:^|[\s_-])(?:selected|active|checked|chosen)(?:$|[\s_-])/i;
  const MOST_OPTIONS = 30;
  const FIRST_LINE = 12; // pixels

  const leadsAway = (element) =>
    localNameOf(element) === 'a' && hasAttr(element, 'href') && !/^(?:#|javascript:|$)/i.test(attr(element, 'href'));
  const sendsForm = (element) => /^(?:submit|image|reset)$/.test(element.type || '') && element.form !== null;
  /** The outermost element, of the few around one, that is called a list; else the one that says that it opens, or a list box without options; null for none. */
  function boxOf(element) {
    if (standIns.has(element)) return element;
    const near = [element, ...[...ancestorsOf(element)].slice(0, LEVELS - 1)];
    if (near.some((each) => leadsAway(each) || localNameOf(each) === 'button' && sendsForm(each))) return null;
    const called = near.filter(isCalledList).at(-1);
    return called || near.find(saysItOpens) || near.find(exported.isEmptyBox) || null;
  }

  /** Whether a field only narrows down the options of the box that it is in, and takes no text itself. */
  const narrows = (field) =>
    fillKind(field) === 'text'
    && [...ancestorsOf(field)].slice(0, LEVELS - 1).some((each) => CHOOSES.test(attr(each, 'class') || ''));

  /** What could be seen before the box was pressed. */
  let seen = new WeakSet();
  /** The middle of the box, as it was before it was pressed. */
  let place = { x: 0, y: 0 };
  /** The field in a box that somebody wants to choose from; null for another box. */
  let asked = null;
  /** The line that was pressed last, with the element that it was in. */
  let pressed = { id: 0, list: null, words: '' };

  /**
   * @typedef {object} PlainList
   * @property {number} box
   * @property {number} press
   * @property {{x: number, y: number}} at
   * @property {string} shows
   */

  /**
   * The box that an element is, or is a part of, and that a press may open; what can be seen now is remembered. Null for none.
   * `press` and `at`: what to press of it, and where: in its first line, as the options may be in it when it is open.
   * @returns {PlainList | null}
   */
  exported.plainList = (id) => {
    const element = nodeFor(id);
    const box = element && (!fillKind(element) || narrows(element)) ? boxOf(element) : null;
    if (!box || !isVisible(box)) return null;
    asked = fillKind(element) ? element : null;
    seen = new WeakSet([...below(document.body)].filter(isVisible));
    const press = isHit(element) ? element : box;
    place = middleOf(rectOf(box));
    const { width, height } = rectOf(press);
    const at = { x: width / 2, y: Math.min(height / 2, FIRST_LINE) };
    return { box: idOf(box), press: idOf(press), at, shows: wordsOf(box) };
  };

  /** Whether a press on the first line of an element would reach it: a field may lie over the words of its box. */
  function isHit(element) {
    element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    const { left, right, top, bottom } = rectOf(element);
    const hit = right - left > 2 && bottom - top > 2
      ? hitAt((left + right) / 2, Math.min((top + bottom) / 2, top + FIRST_LINE))
      : null;
    return hit !== null && contains(element, hit);
  }

  const middleOf = ({ left, right, top, bottom }) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

  /** Whether what stands where the box was, which the page has taken away, says just this. */
  exported.plainSuccessor = (label) => {
    let element = hitAt(place.x, place.y);
    for (let level = 0; element && level < LEVELS; level += 1, element = element.parentElement)
      if (wordsOf(element).toLowerCase() === cleanText(label).toLowerCase()) return true;
    return false;
  };

  const wordsOf = (element) => cleanText(exported.text(idOf(element)));
  const ownWords = (element) =>
    [...childrenOf(element)].some((child) => isText(child) && cleanText(dataOf(child)) !== '');
  const valueOf = (element) => attr(element, 'data-value') ?? attr(element, 'value');

  /** What has come to be seen: elements with words or a value of their own, the outermost of those that say the same. */
  function revealed() {
    const found = [];
    for (const element of below(document.body)) {
      if (seen.has(element) || fillKind(element) || !ownWords(element) && valueOf(element) === null) continue;
      if (isVisible(element)) found.push(element);
    }
    return found.filter((element) =>
      !found.some((outer) => outer !== element && contains(outer, element) && wordsOf(outer) === wordsOf(element))
    );
  }

  const labelsOf = (element) =>
    [wordsOf(element), ...(ownWords(element) ? [] : [nameOf(element) || ''])].map(cleanText).filter(Boolean);

  /**
   * @typedef {object} RevealedLine
   * @property {number} id
   * @property {string} label
   * @property {boolean} marked
   */

  /**
   * @typedef {object} RevealedLines
   * @property {RevealedLine[]} found
   * @property {string[]} labels
   * @property {number} total
   * @property {boolean} typing
   */

  /**
   * What a pressed box shows: the lines that are meant by a word, by label or else by value; the first of all labels; whether a
   * field has the focus in which one can type to find others.
   * @returns {RevealedLines}
   */
  exported.revealedLines = (id, wanted) => {
    const lines = revealed();
    const folded = cleanText(wanted).toLowerCase();
    const ways = [
      (line) => labelsOf(line).includes(cleanText(wanted)),
      (line) => labelsOf(line).some((label) => label.toLowerCase() === folded),
      (line) => valueOf(line) === wanted,
    ];
    const found = ways.map((fits) => lines.filter(fits)).find((fitting) => fitting.length > 0) || [];
    const field = document.activeElement;
    return {
      found: found.map((line) => ({ id: idOf(line), label: labelsOf(line)[0] || wanted, marked: isMarked(line) })),
      labels: lines.slice(0, MOST_OPTIONS).map((line) => labelsOf(line)[0] || valueOf(line) || ''),
      total: lines.length,
      typing: field !== null && fillKind(field) === 'text' && !hasAttr(field, 'readonly')
        && (contains(nodeFor(id), field) || !seen.has(field)) && (lines.length > 0 || field !== asked),
    };
  };

  const isMarked = (line) =>
    [line, ...[...ancestorsOf(line)].slice(0, 2)].some((each) =>
      MARKED.test(attr(each, 'class') || '') || attr(each, 'aria-selected') === 'true'
      || attr(each, 'aria-checked') === 'true' || localNameOf(each) === 'label' && Boolean(each.control?.checked)
    ) || queryAll(line, 'input:checked').length > 0;

  /**
   * @typedef {object} PlainOutcome
   * @property {string} shows
   * @property {string} held
   * @property {boolean} marked
   * @property {boolean} added
   */

  /** Whether a box shows a new element with these words beside the list that it opens, which may be inside it. */
  const adds = (box, list, words) =>
    [...below(box)].some((each) =>
      !seen.has(each) && !(list && contains(list, each)) && isVisible(each) && ownWords(each) && wordsOf(each) === words
    );

  /**
   * What became of a choice: what the box shows, what its fields hold, whether the line that was pressed is marked as chosen, and
   * whether its words stand elsewhere in the box now. The line may be gone by then: its words and its list are those of the first look.
   * @returns {PlainOutcome | null}
   */
  exported.plainOutcome = (id, lineId) => {
    const [box, line] = [nodeFor(id), nodeFor(lineId)];
    if (!box) return null;
    const held = [box, ...queryAll(box, 'input,select')].map((field) =>
      'value' in field && field.type !== 'password' ? String(field.value) : attr(field, 'data-value') || ''
    );
    if (pressed.id !== lineId && line) pressed = { id: lineId, list: line.parentElement, words: wordsOf(line) };
    return {
      shows: wordsOf(box),
      held: held.join('\n'),
      marked: Boolean(line) && isMarked(line),
      added: pressed.id === lineId && adds(box, pressed.list, pressed.words),
    };
  };
}
