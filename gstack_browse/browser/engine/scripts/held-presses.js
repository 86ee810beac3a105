// Whether the pointer is to stay down on an element for some frames, as a person's does for a tenth of a second: what is drawn on or dragged, such as
// events of a calendar (TUI Calendar 2.1), may listen for the release only once the page has drawn what the press means.

import { closest } from './engine-accessors.js';
import { exported } from './engine-dom.js';
import { awaitInput, HEARD_WITHIN, inputHeard } from './input-heard.js';
import { pause, twoFrames } from './turns.js';

/** Elements that are only clicked, never dragged or drawn on. */
const CLICKED = 'a[href],area,button,summary,label,option,select,input,textarea,[contenteditable],'
  + [
    'button',
    'link',
    'tab',
    'checkbox',
    'switch',
    'radio',
    'option',
    'menuitem',
    'menuitemcheckbox',
    'menuitemradio',
    'treeitem',
    'combobox',
    'textbox',
    'searchbox',
    'spinbutton',
  ]
    .map((role) => `[role=${role}]`).join();

/** Whether nothing says of an element, nor of what it stands in, that it is there to be clicked. */
export const isHeld = (element) => closest(element, CLICKED) === null;

/** The pointer is down: resolves when the page has drawn what that means, or has had time to. The release is waited for from then on. */
exported.pressHeld = async () => {
  await inputHeard();
  await Promise.race([twoFrames().then(() => pause(0)), pause(HEARD_WITHIN)]);
  awaitInput('pointerup');
  return true;
};
