// The options of lists. Only `choose` changes which are selected.

import { closest, localNameOf } from '../dom/accessors.js';
import { attr, cleanText, exported, foldedText } from '../dom/dom.js';
import { nodeFor } from '../dom/node-table.js';
import { turnEnded } from '../dom/turns.js';
import { refuseOtherRecord } from '../selectors/records.js';
import { normalizePath } from './lists.js';

/**
 * @typedef {object} Option
 * @property {string} value
 * @property {string} label
 * @property {string} group the label of its optgroup
 * @property {boolean} disabled
 * @property {boolean} selected
 */

/**
 * @typedef {object} Listing
 * @property {boolean} multiple
 * @property {Option[]} options
 * @property {MeantOptions[]} meant one for each word
 */

/**
 * @typedef {object} MeantOptions
 * @property {number[]} places indices in the list of options
 * @property {boolean} isPart whether the word is only a part of their labels
 */

/**
 * List the options of a select, and for each word those that it means.
 * @returns {Listing | null}
 */
export function listOptions(id, ...words) {
  const element = nodeFor(id);
  if (!element || localNameOf(element) !== 'select') return null;
  const options = [...element.options].map((option) => {
    const group = closest(option, 'optgroup');
    return {
      value: option.value,
      label: option.label.replace(/\s+/g, ' ').trim(),
      group: (group && attr(group, 'label') || '').trim(),
      disabled: option.disabled || group !== null && group.disabled,
      selected: option.selected,
    };
  });
  return { multiple: element.multiple, options, meant: words.map((word) => findMeantOptions(options, word)) };
}
exported.options = listOptions;

/**
 * Find the options that a word means. The first of these ways that finds any counts: label, label in any case of letters, "group / label", value,
 * part of a label. Enabled options count before disabled ones. Options of one label and value count as one.
 * @returns {MeantOptions}
 */
function findMeantOptions(options, word) {
  const label = word.replace(/\s+/g, ' ').trim();
  const folded = foldedText(word);
  const path = normalizePath(folded);
  /** Whether the word is a part of an option's label. */
  const isInLabel = (option) => folded !== '' && foldedText(option.label).includes(folded);
  for (
    const fits of [
      (option) => option.label === label,
      (option) => foldedText(option.label) === folded,
      (option) => option.group !== '' && foldedText(`${option.group} / ${option.label}`) === path,
      (option) => option.value === word,
      isInLabel,
    ]
  ) {
    const fitting = options.filter(fits);
    const usable = fitting.filter((option) => !option.disabled);
    const meant = usable.length ? usable : fitting;
    if (meant.length === 0) continue;
    /** Whether an option has the same label and value as the first that is meant. */
    const isDuplicate = (option) =>
      option !== meant[0] && option.value === meant[0].value && option.label === meant[0].label;
    return {
      places: meant.filter((option) => !isDuplicate(option)).map((option) => options.indexOf(option)),
      isPart: fits === isInLabel,
    };
  }
  return { places: [], isPart: false };
}

/**
 * Select the options at these places of a list, and no others, with the events of a person's choice. Answers with the
 * options when the turn has ended: what a page undoes, it does by then.
 * @returns {Promise<Listing | null>}
 */
export async function chooseOptions(id, indices) {
  const list = nodeFor(id);
  if (!list || localNameOf(list) !== 'select') return null;
  refuseOtherRecord(list);
  if (list.multiple) { for (const option of list.options) option.selected = indices.includes(option.index); }
  else list.selectedIndex = indices[0];
  list.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  list.dispatchEvent(new Event('change', { bubbles: true }));
  await turnEnded();
  return listOptions(id);
}
exported.choose = chooseOptions;

/** Index of an option in its select. */
exported.optionIndex = (id) => {
  const element = nodeFor(id);
  return element && localNameOf(element) === 'option' ? element.index : -1;
};

/** The state of a list box and its option after a press on that; null when either is gone. */
exported.pressedOption = (id, listId) => {
  const [option, list] = [nodeFor(id), nodeFor(listId)];
  if (!option || !list) return null;
  /** Return the label of an option, else its value. */
  const labelOfOption = (one) => cleanText(one.label) || one.value;
  const others = [...list.selectedOptions].filter((other) => other !== option).map(labelOfOption);
  return { label: labelOfOption(option), selected: option.selected, others, stays: closest(option, 'select') === list };
};
