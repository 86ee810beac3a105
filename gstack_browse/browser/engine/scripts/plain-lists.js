// Finds lists of options without list markup: a box that only its classes or `aria-expanded` mark as one that opens, and the lines that
// become visible when it is pressed. The choice itself is followed in plain-choices.js. Changes nothing but scroll positions.

import {
  activeElementOf,
  bodyOf,
  dataOf,
  localNameOf,
  parentElementOf,
  rectOf,
  scrollIntoView,
} from './engine-accessors.js';
import { ancestorsOf, attr, childrenOf, cleanText, exported, hasAttr, isText, parentOf } from './engine-dom.js';
import { idOf, idOfOnly, nodeFor } from './engine-table.js';
import { nameOf } from './engine-names.js';
import { roleOf } from './engine-roles.js';
import { hitAt } from './hits.js';
import { isInLayer } from './layers.js';
import { CALLED_ARROW } from './open-lists.js';
import { crossAround } from './own-words.js';
import { leftAround, stoodAt } from './succession.js';
import { isOperable } from './visible.js';
// Before this file, which reads `exported` as it loads.
import './widgets.js';

{
  const { fillKind } = exported;
  const { LEVELS, below, contains, isCalledList, outermost, saysItOpens, standIns } = exported.widgets;

  // Seen in Fomantic UI, Select2 3 (Flask-Admin), selectize (Shiny), EasyUI; Quill's pickers and PatternFly's toggles say only that they open.
  const CHOOSES = /(?:^|[\s_-])(?:dropdown|select\d*|selectize|selectric|chosen|combo(?:box)?)(?:$|[\s_-])/i; // no picker: of dates one types
  const MOST_OPTIONS = 30;
  const FIRST_LINE = 12; // pixels

  const leadsAway = (element) =>
    localNameOf(element) === 'a' && hasAttr(element, 'href') && !/^(?:#|javascript:|$)/i.test(attr(element, 'href'));
  const sendsForm = (element) => /^(?:submit|image|reset)$/.test(element.type || '') && element.form !== null;
  /** The outermost near ancestor (or itself) that is called a list; else one that says that it opens, or an empty list box; null for none. */
  function boxOf(element) {
    if (standIns.has(element)) return element;
    const near = [element, ...[...ancestorsOf(element)].slice(0, LEVELS - 1)];
    if (near.some((each) => leadsAway(each) || localNameOf(each) === 'button' && sendsForm(each))) return null;
    const called = near.filter(isCalledList).at(-1);
    return called || near.find(saysItOpens) || near.find(exported.isEmptyBox)
      || (opensDialog(element) ? element : null);
  }

  /** Whether a button opens a dialog by its side, in which there may be a list: asked for a list, it is one. Radix Popover says so of all. */
  const opensDialog = (element) =>
    attr(element, 'aria-haspopup') === 'dialog' && hasAttr(element, 'aria-expanded') && roleOf(element) === 'button';

  /** Whether a field only narrows down the options of the box that it is in, and takes no text itself. */
  const narrows = (field) =>
    fillKind(field) === 'text'
    && [...ancestorsOf(field)].slice(0, LEVELS - 1).some((each) => CHOOSES.test(attr(each, 'class') || ''));

  /** Elements that were visible before the box was pressed. */
  let seen = new WeakSet();
  /** The middle of the box, as it was before it was pressed, and where it stood in the document. */
  let place = { x: 0, y: 0 };
  /** @type {ReturnType<typeof stoodAt> | null} */
  let kept = null;
  /** The field in a box that is to be chosen from; null for another box. */
  let asked = null;
  /** The list that became visible: its lines, the part of the page that came with them and holds them (or null), the field typed in. */
  /** @type {{ lines: Element[], popup: Element | null, typedIn: Element | null }} */
  let list = { lines: [], popup: null, typedIn: null };

  /**
   * @typedef {object} PlainList
   * @property {number} box
   * @property {number} press
   * @property {number} arrow
   * @property {{x: number, y: number}} at
   * @property {string} shows
   * @property {boolean} inLayer
   */

  /**
   * The box that an element is, or is a part of, and that a press may open; null for none. Remembers the visible elements. `arrow`: the
   * button without text, known by its name, that opens the list of a text field; 0 for none. `press` and `at`: the element to press, and
   * the point in it: in its first line, since an open box may have the options in it.
   * @returns {PlainList | null}
   */
  exported.plainList = (id) => {
    const element = nodeFor(id);
    const box = element && (!fillKind(element) || narrows(element)) ? boxOf(element) : null;
    if (!box || !isOperable(box)) return null;
    asked = fillKind(element) ? element : null;
    seen = new WeakSet([...below(bodyOf(document))].filter(isOperable));
    list = { lines: [], popup: null, typedIn: null };
    const press = isHit(element) ? element : box;
    place = middleOf(rectOf(box));
    kept = stoodAt(box);
    const { width, height } = rectOf(press);
    const at = { x: width / 2, y: Math.min(height / 2, FIRST_LINE) };
    return {
      box: idOf(box),
      press: idOf(press),
      arrow: arrowIn(box),
      at,
      shows: wordsOf(box),
      inLayer: isInLayer(box),
    };
  };

  function arrowIn(box) {
    const arrows = outermost(
      box,
      (element) =>
        CALLED_ARROW.test(attr(element, 'class') || '') && isOperable(element) && !fillKind(element)
        && wordsOf(element) === ''
        && !leadsAway(element) && !sendsForm(element) && crossAround(box, element) === null,
    );
    return idOfOnly(arrows);
  }

  /** Whether a press on the first line of an element would reach it: a field may lie over the words of its box. */
  function isHit(element) {
    scrollIntoView(element, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
    const { left, right, top, bottom } = rectOf(element);
    const hit = right - left > 2 && bottom - top > 2
      ? hitAt((left + right) / 2, Math.min((top + bottom) / 2, top + FIRST_LINE))
      : null;
    return hit !== null && contains(element, hit);
  }

  const middleOf = ({ left, right, top, bottom }) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

  /** Whether the element in the former place of a removed box says just this; or one like the box in the part of the page that held it. */
  exported.plainSuccessor = (label) => {
    const says = (element) => wordsOf(element).toLowerCase() === cleanText(label).toLowerCase();
    let element = hitAt(place.x, place.y);
    for (let level = 0; element && level < LEVELS; level += 1, element = parentElementOf(element))
      if (says(element)) return true;
    const alike = boxesInItsPlace();
    return alike.length === 1 && [alike[0], ...outermost(alike[0], isOperable)].some(says);
  };

  /** Elements with the tag and the classes of the box, in its nearest former ancestor that is still there; none while the box is. */
  function boxesInItsPlace() {
    const box = kept?.element.deref();
    const around = kept && leftAround(kept);
    if (!box || !around || box.isConnected) return [];
    return outermost(
      around,
      (other) =>
        localNameOf(other) === localNameOf(box) && attr(other, 'class') === attr(box, 'class') && isOperable(other),
    );
  }

  const wordsOf = (element) => cleanText(exported.text(idOf(element)));
  const ownWordsOf = (element) =>
    cleanText([...childrenOf(element)].filter(isText).map((text) => dataOf(text)).join(' '));
  const ownWords = (element) => ownWordsOf(element) !== '';
  const valueOf = (element) => attr(element, 'data-value') ?? attr(element, 'value');

  /**
   * The lines that became visible: elements with words or a value of their own, the outermost of those that say the same. If the list is
   * known and still there, only the lines in it: the text of the box that shows a choice is no option.
   */
  function revealed() {
    const found = [];
    for (const element of below(isThere(list.popup) ? list.popup : bodyOf(document))) {
      if (seen.has(element) || fillKind(element) || !ownWords(element) && valueOf(element) === null) continue;
      if (isOperable(element)) found.push(element);
    }
    return found.filter((element) =>
      !found.some((outer) => outer !== element && contains(outer, element) && wordsOf(outer) === wordsOf(element))
    );
  }

  const isThere = (element) => element !== null && element.isConnected && isOperable(element);

  /** The part of the page that came with these lines, and holds all of them and no earlier visible element but an empty list; null for none. */
  function popupOf(lines, box) {
    let part = lines[0] ? parentOf(lines[0]) : null;
    while (part && !lines.every((line) => contains(part, line))) part = parentOf(part);
    if (!part || contains(part, box) || part === bodyOf(document)) return null;
    for (
      let outer = parentOf(part);
      outer && outer !== bodyOf(document) && !seen.has(outer) && !contains(outer, box);
      outer = parentOf(outer)
    ) part = outer;
    return part;
  }

  const labelsOf = (element) =>
    [wordsOf(element), ...(ownWords(element) ? [] : [nameOf(element) || ''])].map(cleanText).filter(Boolean);

  /**
   * @typedef {object} RevealedLine
   * @property {number} id
   * @property {string} label
   * @property {boolean} marked
   * @property {boolean} ticked
   */

  /**
   * @typedef {object} RevealedLines
   * @property {RevealedLine[]} found
   * @property {string[]} labels
   * @property {number} total
   * @property {boolean} typing
   * @property {boolean} named
   */

  /**
   * The content of a pressed box: the lines that a word means, by label or else by value; the first of all labels; whether the focused
   * field can be typed into to find others; whether the box itself, beside its list, names the requested line.
   * @returns {RevealedLines}
   */
  exported.revealedLines = (id, wanted) => {
    const box = nodeFor(id);
    const lines = revealed();
    if (lines.length > 0 && !isThere(list.popup)) Object.assign(list, { lines, popup: popupOf(lines, box) });
    const folded = cleanText(wanted).toLowerCase();
    const ways = [
      (line) => labelsOf(line).includes(cleanText(wanted)),
      (line) => labelsOf(line).some((label) => label.toLowerCase() === folded),
      (line) => valueOf(line) === wanted,
    ];
    const found = ways.map((fits) => lines.filter(fits)).find((fitting) => fitting.length > 0) || [];
    const field = activeElementOf(document);
    const typing = field !== null && fillKind(field) === 'text' && !hasAttr(field, 'readonly')
      && (contains(box, field) || !seen.has(field)) && (lines.length > 0 || field !== asked);
    if (typing) list.typedIn = field;
    const { isMarked, isTicked, names } = exported.plainMarks;
    return {
      found: found.map((line) => ({
        id: idOf(line),
        label: labelsOf(line)[0] || wanted,
        marked: isMarked(line),
        ticked: isTicked(line),
      })),
      labels: lines.slice(0, MOST_OPTIONS).map((line) => labelsOf(line)[0] || valueOf(line) || ''),
      total: lines.length,
      typing,
      named: box !== null && [wanted, ...found.flatMap(labelsOf)].some((label) => names(box, label)),
    };
  };

  exported.plainLists = { list: () => list, revealed, isThere, wordsOf, ownWordsOf, valueOf };
}
