// What an action has to know about its element before and after it: is it there, visible, enabled,
// editable, uncovered, and what does it hold. Scrolls it into view; only `setValue` and `choose` change what it holds.

import {
  activeElementOf,
  closest,
  documentOf,
  localNameOf,
  matches,
  nodeTypeOf,
  rectOf,
  rootOf,
  textContentOf,
} from './engine-accessors.js';
import {
  attr,
  childrenOf,
  cleanText,
  contentDocumentOf,
  exported,
  hasAttr,
  isElement,
  isFrame,
  isText,
  openShadowRootOf,
  parentOf,
  shadowRootOf,
} from './engine-dom.js';
import { idOf, nodeFor, takeNotedNodes } from './engine-table.js';
import { drawnFor, editorOf } from './engine-editors.js';
import { isRendered } from './engine-hidden.js';
import { nameOf } from './engine-names.js';
import { isDisabled, isSecret } from './engine-states.js';
import { aimAt, aimInView, hitAt, holds, isOpenBox, isStroke, passesOn, pointsOf, shownBy } from './hits.js';
import { blockerOf, coverKey, isBusyCover } from './covers.js';

{
  /**
   * Node ids and short descriptions of what was noted under `key`; forgets the key. Where it was found by what a person
   * sees (`by` is { words }, see find.py), only the best of it.
   */
  exported.takeNoted = (key, by) => {
    const found = takeNotedNodes(key);
    return told(by ? bestOf(found, by.words) : found);
  };

  /** What can be seen, before what is hidden; of that what says the words and nothing else, before what also says them. */
  function bestOf(elements, words) {
    const shown = only(elements, isVisible);
    if (!words) return shown;
    const wanted = cleanText(words);
    const folded = wanted.toLowerCase();
    return only(
      only(shown, (element) => wordsOf(element).toLowerCase() === folded),
      (element) => wordsOf(element) === wanted,
    );
  }

  function only(elements, condition) {
    const found = elements.filter(condition);
    return found.length ? found : elements;
  }

  const wordsOf = (element) => cleanText(localNameOf(element) === 'input' ? element.value : textContentOf(element));

  /**
   * What a plain CSS selector matches, in the document and its open shadow roots, as `takeNoted` tells it; null for
   * anything that needs Playwright's selector engines: their prefixes, chains and pseudo-classes, and combinators
   * that may have to reach across a shadow boundary.
   */
  exported.matches = (selector) => {
    const found = matchesOf(selector);
    return found && told(found);
  };

  function told(elements) {
    const found = elements.slice(0, 50).map((element) => ({ id: idOf(element), text: describe(element) }));
    found.forEach((item, index) => {
      const isUnlikeOthers = found.every((other) => other === item || other.text !== item.text);
      if (found.length > 1 && index < 10) item.place = placeOf(elements[index], isUnlikeOthers);
    });
    return found;
  }

  const PLACES =
    'li,tr,dialog,nav,main,aside,header,footer,section,article,form,fieldset,[role=row],[role=listitem],[role=dialog],[role=region]';

  /** What tells an element from others that look alike: that it cannot be seen, and what it is in. */
  function placeOf(element, isUnlikeOthers) {
    const words = isVisible(element) ? [] : ['(hidden)'];
    const parent = isUnlikeOthers ? null : parentOf(element);
    const place = parent && isElement(parent) ? closest(parent, PLACES) : null;
    return [...words, ...(place ? [`in ${describe(place)}`] : [])].join(' ');
  }

  function matchesOf(selector) {
    if (/^\s*(?:[\w+:*-]+=|\/\/|\.\.|["'(])|>>/.test(selector)) return null;
    const trees = [...treesOf(document)];
    if (trees.length > 1 && /[\s>+~,]/.test(selector.trim())) return null;
    try {
      return trees.flatMap((tree) => [...tree.querySelectorAll(selector)]);
    } catch {
      return null; // not CSS, or CSS as Playwright extends it
    }
  }

  /**
   * Find an element and ask it, in one: `which` is `{ selector, first }`, or `{ node }` for a reference, with the
   * id of its node. Answers `{ id, answer }`, where `answer` is what `exported[question](id, ...args)` says;
   * `{ matches }`, as `matches` tells them, when there is not exactly one (or, with `first`, none); and null where
   * Playwright has to look, or the node is not in this very document.
   */
  exported.ask = (which, question, ...args) => {
    let element = null;
    if (which.node) {
      element = nodeFor(which.node);
      if (!element || documentOf(element) !== document) return null;
    } else {
      const found = matchesOf(which.selector);
      if (!found) return null;
      if (!found.length || (found.length > 1 && !which.first)) return { matches: told(found) };
      element = found[0];
    }
    const id = idOf(element);
    return { id, answer: exported[question](id, ...args) };
  };

  /** The document and the open shadow roots in it. */
  function* treesOf(root) {
    yield root;
    for (const element of root.querySelectorAll('*')) {
      const inner = openShadowRootOf(element);
      if (inner) yield* treesOf(inner);
    }
  }

  const classesOf = (element) => (attr(element, 'class') || '').split(/\s+/).filter(Boolean);

  /** `<button id="go" class="primary">` "Go": enough to recognise an element by. */
  function describe(element) {
    const tag = localNameOf(element);
    const parts = [tag];
    const id = attr(element, 'id');
    const classes = classesOf(element);
    if (id) parts.push(`#${id.slice(0, 40)}`);
    else if (classes.length) parts.push(`.${classes.slice(0, 2).join('.').slice(0, 40)}`);
    const label = (nameOf(element) || cleanText(textContentOf(element).slice(0, 300))).trim().slice(0, 60);
    return label ? `<${parts.join('')}> "${label}"` : `<${parts.join('')}>`;
  }

  /** Whether a person could see it: rendered, not visibility:hidden, and with a size, or what is in it has one. */
  function isVisible(element) {
    const shown = closedListOf(element) || shownBy(element);
    if (shown !== element) return isVisible(shown);
    return hasBox(element) || isRendered.call(element, RENDERED) && isOpenBox(element)
        && (isStroke(element) || showsContents(element, isVisible));
  }

  /** The same for a part of a widget, of which its own box is what is pressed. */
  function hasBox(element) {
    const shown = closedListOf(element) || shownBy(element);
    if (shown !== element) return hasBox(shown);
    if (getComputedStyle(element).display === 'contents') return showsContents(element, hasBox);
    if (!isRendered.call(element, RENDERED)) return false;
    const box = rectOf(element);
    return box.width > 0 && box.height > 0;
  }
  const RENDERED = { visibilityProperty: true, contentVisibilityAuto: true };

  const showsContents = (element, isShown) =>
    [...childrenOf(element)].some((child) => isElement(child) && isShown(child)) || hasVisibleText(element);

  function hasVisibleText(element) {
    const range = document.createRange();
    for (const child of childrenOf(element)) {
      if (!isText(child)) continue;
      range.selectNode(child);
      const box = range.getBoundingClientRect();
      if (box.width > 0 && box.height > 0) return true;
    }
    return false;
  }

  const TEXT_TYPES = new Set(['', 'text', 'search', 'email', 'url', 'tel', 'password', 'number']);
  const SET_TYPES = new Set(['color', 'date', 'time', 'datetime-local', 'month', 'week', 'range']);

  /** What `fill` can do with an element: "text", "set", "rich", "keys" for an editor, or "" for nothing. */
  function fillKind(element) {
    if (editorOf(element)) return 'keys';
    if (localNameOf(element) === 'textarea') return 'text';
    if (localNameOf(element) === 'input') {
      if (TEXT_TYPES.has(element.type)) return 'text';
      return SET_TYPES.has(element.type) ? 'set' : '';
    }
    return element.isContentEditable ? 'rich' : '';
  }

  function isReadOnly(element) {
    if (localNameOf(element) === 'input' || localNameOf(element) === 'textarea') return element.readOnly;
    return attr(element, 'aria-readonly') === 'true';
  }

  /** What an element holds, as `fill` means it. */
  function heldBy(element) {
    const drawn = drawnFor(element);
    if (drawn !== null) return drawn;
    return 'value' in element && fillKind(element) !== 'rich' ? element.value : element.innerText;
  }

  /** For an option without a box of its own, as in a closed list, the list; null for everything else. */
  function closedListOf(element) {
    const name = localNameOf(element);
    if ((name !== 'option' && name !== 'optgroup') || rectOf(element).height > 0) return null;
    return closest(element, 'select');
  }

  /** Where to click the label of a checkbox or radio button that cannot be hit itself (custom switches hide it), or null. */
  function throughLabel(element, hittable) {
    if (localNameOf(element) !== 'input' || (element.type !== 'checkbox' && element.type !== 'radio') || hittable)
      return null;
    for (const label of element.labels) {
      if (!isVisible(label)) continue;
      if (!aimAt(label).inView) label.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const point = labelPoint(label, element);
      if (point) return { id: idOf(label), x: point.x, y: point.y };
    }
    return null;
  }

  /** A point of a label, from the corner inside its border, that belongs to no other control or link in it. */
  function labelPoint(label, element) {
    for (const point of pointsOf(label)) {
      const hit = hitAt(point.x, point.y);
      if (hit && passesOn(label, element, hit)) return insideOf(label, point);
    }
    return null;
  }

  /** A point of the window as one of an element, from the corner inside its border: how Playwright counts. */
  function insideOf(element, point) {
    const outer = rectOf(element);
    const style = getComputedStyle(element);
    return {
      x: point.x - outer.left - (parseInt(style.borderLeftWidth, 10) || 0),
      y: point.y - outer.top - (parseInt(style.borderTopWidth, 10) || 0),
    };
  }

  /** What a plain click on a link does without the page hearing of it: "download", else "page"; "" for no link. */
  const linkKind = (link) => (!link ? '' : hasAttr(link, 'download') ? 'download' : 'page');

  const NOWHERE = { point: { x: -1, y: -1 }, hit: null, inView: false, arrives: false, isAside: false };

  function isInClosedRoot(element) {
    for (let root = rootOf(element); root.host; root = rootOf(root.host)) if (root.mode === 'closed') return true;
    return false;
  }

  /** A cover as a reply names it, and what `covers.js` says of it. */
  function coverLook(element, hit) {
    if (!hit) return { text: 'nothing that takes the pointer', key: '', busy: false };
    return { text: describe(hit), key: coverKey(element, hit), busy: isBusyCover(element, hit) };
  }

  /**
   * Everything that decides whether an action on the element can work now. `prepare` names what is to be made ready for it
   * in the same turn, where this look proves that nothing has to be waited for (see at-once.js). `how`: "press" scrolls to
   * where it can be hit, "edit" scrolls and looks for what blocks it even for keys, "choose" does only that.
   */
  exported.probe = (id, how, prepare, ...words) => {
    const element = nodeFor(id);
    if (!element) return { gone: true };
    const list = closedListOf(element);
    const target = list || element;
    const visible = isVisible(editorOf(element) ?? element);
    const scroll = how === 'press' || how === 'edit';
    const aim = !visible ? NOWHERE : scroll ? aimInView(target) : aimAt(target);
    const shown = shownBy(target);
    const look = {
      tag: localNameOf(element),
      type: localNameOf(element) === 'input' ? element.type : '',
      text: describe(element),
      visible,
      disabled: isDisabled(element),
      readonly: isReadOnly(element),
      fill: fillKind(element) || exported.otherFill(element),
      collectsKeys: how === 'edit' && exported.collectsKeys(element),
      opens: exported.isOpener(element),
      inView: aim.inView,
      cover: aim.inView && !aim.arrives ? coverLook(target, aim.hit) : null,
      point: [aim.point.x, aim.point.y],
      aside: aim.isAside || shown !== target ? insideOf(shown, aim.point) : null,
      link: linkKind(closest(element, 'a[href],area[href]')),
      label: scroll ? throughLabel(element, aim.hit && holds(element, aim.hit)) : null,
      selectId: list ? idOf(list) : 0,
      listId: localNameOf(element) === 'option' && !list ? idOf(closest(element, 'select') || element) : 0,
      opaque: shown !== target || isInClosedRoot(target),
      imageId: shown !== target ? idOf(shown) : 0,
      controlId: localNameOf(element) === 'label' && element.control ? idOf(element.control) : 0,
    };
    look.blocker = visible && !aim.arrives && (how === 'edit' || how === 'choose') ? blockerText(target, aim.hit) : '';
    look.prepared = prepare ? exported.prepare(prepare, element, look, ...words) : null;
    return look;
  };

  function blockerText(element, hit) {
    const blocker = blockerOf(element, hit);
    return blocker ? describe(blocker) : '';
  }

  exported.reveal = (id) => {
    const element = nodeFor(id);
    if (!element) return false;
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    return true;
  };

  function isFocused(element) {
    const root = rootOf(element);
    return root.activeElement === element;
  }

  /** Answers of `is`, all at once. */
  exported.states = (id) => {
    const element = nodeFor(id);
    if (!element) return null;
    const checkable = localNameOf(element) === 'input' && (element.type === 'checkbox' || element.type === 'radio');
    const ariaChecked = attr(element, 'aria-checked') ?? attr(element, 'aria-pressed');
    const visible = isVisible(element);
    return {
      visible,
      hidden: !visible,
      enabled: !isDisabled(element),
      disabled: isDisabled(element),
      editable: Boolean(fillKind(element)) && !isDisabled(element) && !isReadOnly(element),
      focused: isFocused(element),
      checkable: checkable || ariaChecked !== null || localNameOf(element) === 'option',
      checked: checkable
        ? element.checked
        : localNameOf(element) === 'option'
        ? element.selected
        : ariaChecked === 'true',
    };
  };

  /** What the element holds now; null when it is gone. */
  exported.value = (id) => {
    const element = nodeFor(id);
    return element ? { value: heldBy(element), secret: isSecret(element) } : null;
  };

  const HOLDS = /^(?:input|select|textarea|option|button|output|progress|meter|data|param)$/;

  /** The same for who reads it: of a list all that is chosen, a line each; `value` is null where there can be none. */
  exported.fieldValue = (id) => {
    const element = nodeFor(id);
    if (!element) return null;
    const name = localNameOf(element);
    if (name === 'select')
      return { value: [...element.selectedOptions].map((option) => option.value).join('\n'), secret: false };
    const holds = HOLDS.test(name) || fillKind(element) !== '' || name.includes('-') && 'value' in element;
    return { value: holds ? String(heldBy(element)) : null, secret: isSecret(element) };
  };

  /** How many elements a plain selector matches; null where Playwright has to count. */
  exported.matchCount = (selector) => matchesOf(selector)?.length ?? null;

  /** What a field of this type would make of a value: tried on a field of our own, so that a wrong one does no harm. */
  exported.parsed = (id, value) => {
    const element = nodeFor(id);
    if (!element || localNameOf(element) !== 'input') return value;
    const trial = document.createElement('input');
    for (const name of ['type', 'min', 'max', 'step'])
      if (hasAttr(element, name)) trial.setAttribute(name, attr(element, name));
    trial.value = value;
    return trial.value;
  };

  /** From where one press of which key brings a range to a value: `{value, key}`; null where no press can. */
  exported.oneStepFrom = (id, value) => {
    const wanted = exported.parsed(id, value);
    for (const [step, key] of [[-1, 'ArrowUp'], [1, 'ArrowDown']]) {
      const from = stepped(nodeFor(id), wanted, step);
      if (from !== wanted) return { value: from, key };
    }
    return null;
  };

  function stepped(range, value, step) {
    if (!range || attr(range, 'step') === 'any') return value; // a key moves that by what Chromium likes
    const trial = range.cloneNode(false);
    trial.value = value;
    trial.stepUp(step);
    return trial.value;
  }

  /** Give a text field its value at once, where inserting it as a person would takes Chromium seconds. */
  exported.setValue = (id, value) => {
    const element = nodeFor(id);
    if (!element) return false;
    element.focus();
    const most = element.maxLength >= 0 ? element.maxLength : Infinity;
    element.value = value.slice(0, most); // this world's setter: what a page put over its own is not called
    element.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText' }));
    element.dispatchEvent(new Event('change', { bubbles: true }));
    return true;
  };

  /** The options of a select, in order. */
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
   * options of one turn later: what a page undoes, it does then.
   */
  exported.choose = async (id, indices) => {
    const list = nodeFor(id);
    if (!list || localNameOf(list) !== 'select') return null;
    if (list.multiple) { for (const option of list.options) option.selected = indices.includes(option.index); }
    else list.selectedIndex = indices[0];
    list.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    list.dispatchEvent(new Event('change', { bubbles: true }));
    await new Promise((done) => setTimeout(done, 0));
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

  /** Operable elements and how they could be named, for "did you mean". */
  exported.candidates = () => {
    const found = [];
    const selector = 'a[href],button,input,select,textarea,summary,[role],[onclick],[contenteditable],[id]';
    for (const element of [...treesOf(document)].flatMap((tree) => [...tree.querySelectorAll(selector)])) {
      if (found.length >= 400) break;
      if (!isVisible(element)) continue;
      found.push({
        id: idOf(element),
        name: nameOf(element).trim().slice(0, 80),
        words: [attr(element, 'id') || '', ...classesOf(element).slice(0, 5)],
        operable: matches(element, 'a[href],button,input,select,textarea,summary,[role=button],[role=link],[onclick]'),
        text: describe(element),
      });
    }
    return found;
  };

  /** What has the focus in a tree, through shadow roots and frames of this process; null for nothing, and for the page itself. */
  function focusedIn(tree) {
    const element = nodeTypeOf(tree) === 9 ? activeElementOf(tree) : tree.activeElement;
    const inner = element && (isFrame(element) ? contentDocumentOf(element) : shadowRootOf(element));
    const deeper = inner ? focusedIn(inner) : null;
    const isPage = element && matches(element, 'html,body') && !element.isContentEditable;
    return deeper || (isPage ? null : element);
  }

  /** What has the focus ("" for nothing), whether it takes no text, and of a text field that a person sees its id and what it `holds`. */
  exported.focused = () => {
    const element = focusedIn(document);
    if (!element) return { text: '', readonly: false, id: 0, holds: '' };
    const isSeen = fillKind(element) === 'text' && isVisible(element) && documentOf(element) === document
      && aimAt(element).arrives;
    return {
      text: describe(element),
      readonly: Boolean(fillKind(element)) && isReadOnly(element),
      id: isSeen ? idOf(element) : 0,
      holds: isSeen ? heldBy(element) : '',
    };
  };

  /** Scroll the page, or what fills it, by a named amount; says where it is now and whether it moved. */
  exported.scroll = (direction, pixels) => {
    const area = scrollArea();
    const before = area.scrollTop;
    const step = pixels || Math.round(area.clientHeight * 0.9);
    const goal = { up: before - step, down: before + step, top: 0, bottom: area.scrollHeight }[direction];
    area.scrollTo({ top: goal, behavior: 'instant' });
    return {
      moved: Math.round(area.scrollTop - before),
      top: Math.round(area.scrollTop),
      end: Math.round(area.scrollHeight - area.clientHeight),
    };
  };

  /** The document, or when that cannot scroll the largest element that can (an application's own pane). */
  function scrollArea() {
    const root = document.scrollingElement || document.documentElement;
    if (root.scrollHeight > root.clientHeight + 1) return root;
    let best = root;
    let bestArea = 0;
    for (const element of document.querySelectorAll('*')) {
      if (element.scrollHeight <= element.clientHeight + 1 || element.clientHeight < 50) continue;
      if (!/auto|scroll/.test(getComputedStyle(element).overflowY)) continue;
      const area = element.clientWidth * element.clientHeight;
      if (area > bestArea) [best, bestArea] = [element, area];
    }
    return best;
  }

  /** Whether the visible text of the page contains `wanted`, or what one of its fields shows does. */
  exported.showsText = (wanted) => {
    const fold = (text) => text.replace(/\s+/g, ' ');
    const words = fold(wanted);
    if (fold(exported.text(0)).includes(words)) return true;
    for (const field of fieldsIn(document)) if (fold(shownIn(field)).includes(words) && isVisible(field)) return true;
    return false;
  };

  /** Fields in a tree and in the shadow trees in it. */
  function* fieldsIn(root) {
    for (const element of root.querySelectorAll('*')) {
      if (matches(element, 'input,textarea,select')) yield element;
      const inner = shadowRootOf(element);
      if (inner) yield* fieldsIn(inner);
    }
  }

  /** Types of input whose value is not what a person sees of it. */
  const WORDLESS = new Set(['checkbox', 'color', 'file', 'hidden', 'image', 'password', 'radio', 'range']);

  /** What a person reads in a field: its value, else its placeholder; nothing of a secret. */
  function shownIn(field) {
    if (isSecret(field) || WORDLESS.has(field.type)) return '';
    return exported.text(idOf(field)) || attr(field, 'placeholder') || '';
  }

  /** A round trip: when it has come back, everything the page did before has been reported. */
  exported.tick = () => document.readyState;

  Object.assign(exported, { isVisible: hasBox, fillKind });
}
