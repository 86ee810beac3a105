// The options of lists. Only `choose` changes which are selected.

import { closest, localNameOf } from './engine-accessors.js';
import { cleanText, exported } from './engine-dom.js';
import { nodeFor } from './engine-table.js';
import { turnEnded } from './turns.js';

/**
 * @typedef {object} Option
 * @property {string} value
 * @property {string} label
 * @property {boolean} disabled
 * @property {boolean} selected
 */

/**
 * @typedef {object} Listing
 * @property {boolean} multiple
 * @property {Option[]} options
 */

/**
 * The options of a select, in order.
 * @returns {Listing | null}
 */
exported.options = (id) => {
  const element = nodeFor(id);
  if (!element || localNameOf(element) !== 'select') return null;
  return {
    multiple: element.multiple,
    options: [...element.options].map((option) => ({
      value: option.value,
      label: option.label.replace(/\s+/g, ' ').trim(),
      disabled: option.disabled || (option.parentElement.localName === 'optgroup' && option.parentElement.disabled),
      selected: option.selected,
    })),
  };
};

/**
 * Select the options at these places of a list, and no others, with the events of a person's choice. Answers with the
 * options when the turn has ended: what a page undoes, it does by then.
 * @returns {Promise<Listing | null>}
 */
exported.choose = async (id, indices) => {
  const list = nodeFor(id);
  if (!list || localNameOf(list) !== 'select') return null;
  if (list.multiple) { for (const option of list.options) option.selected = indices.includes(option.index); }
  else list.selectedIndex = indices[0];
  list.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  list.dispatchEvent(new Event('change', { bubbles: true }));
  await turnEnded();
  return exported.options(id);
};

/** Index of an option in its select. */
exported.optionIndex = (id) => {
  const element = nodeFor(id);
  return element && localNameOf(element) === 'option' ? element.index : -1;
};

/** What became of an option of a list box that was pressed: null when either is gone. */
exported.pressedOption = (id, listId) => {
  const [option, list] = [nodeFor(id), nodeFor(listId)];
  if (!option || !list) return null;
  const named = (one) => cleanText(one.label) || one.value;
  const others = [...list.selectedOptions].filter((other) => other !== option).map(named);
  return { label: named(option), selected: option.selected, others, stays: closest(option, 'select') === list };
};
