// Widgets that pages build themselves, as ARIA describes them: what opens a list of options or is one, and what a person
// uses instead of a field that cannot be seen. Knows roles and properties and no library. Looks; changes nothing.

import { localNameOf, queryAll, queryOne, rectOf, rootOf } from './engine-accessors.js';
import { ancestorsOf, attr, childrenOf, exported, hasAttr, isElement, parentOf, shadowRootOf } from './engine-dom.js';
import { idOf, nodeFor } from './engine-table.js';
import { explicitRoleOf, isFocusable } from './engine-explicit-roles.js';
import { roleOf } from './engine-roles.js';

{
  const { isVisible, fillKind } = exported;

  const OPENS = new Set(['listbox', 'tree', 'grid']);
  const PRESSED = new Set(['button', 'link', 'checkbox', 'switch', 'tab', 'menuitem', 'option']);
  /** Elements that are read at most, around a widget and in a list. */
  const MOST_ELEMENTS = 20000;
  /** How far up a list may be from the one that is named, and what shows a widget's value from the widget. */
  const LEVELS = 4;
  /** Pixels: a field with what is drawn for it. */
  const TALLEST_LINE = 80;

  const roleIs = (element) => explicitRoleOf(element) || '';
  const isNativeList = (element) => localNameOf(element) === 'select';
  const says = (element, name) => attr(element, name) === 'true';

  /** Whether the element opens a list of options. */
  function isOpener(element) {
    if (isNativeList(element)) return false;
    const role = roleIs(element);
    if (role === 'combobox' || localNameOf(element) === 'input' && hasAttr(element, 'list')) return true;
    if (role === 'listbox') return localNameOf(element) === 'input' || hasAttr(element, 'aria-expanded');
    return OPENS.has(attr(element, 'aria-haspopup'));
  }

  exported.isOpener = isOpener;

  const isStandingList = (element) =>
    !isNativeList(element) && (roleIs(element) === 'listbox' || roleIs(element) === 'radiogroup')
    && !isOpener(element) && !isEmptyBox(element);

  /** Whether a list takes the focus and has neither options nor any of its own elsewhere: a press may show lines that are no options. */
  const isEmptyBox = (element) =>
    roleIs(element) === 'listbox' && isFocusable(element) && !hasAttr(element, 'aria-owns')
    && !hasAttr(element, 'aria-activedescendant') && !shadowRootOf(element)
    && queryOne(element, '[role=option],[role=menuitemradio],[role=menuitemcheckbox],[aria-selected],slot') === null;
  exported.isEmptyBox = isEmptyBox;
  const isRadio = (element) => roleOf(element) === 'radio';
  const isWidget = (element) => isOpener(element) || isStandingList(element) || isRadio(element);

  /**
   * Elements below a node, as a person sees them, without what is below those for which `leave` holds.
   * @param {(element: Element) => boolean} leave
   */
  function* below(node, leave = (_) => false, budget = { left: MOST_ELEMENTS }) {
    for (const child of childrenOf(node)) {
      if (!isElement(child) || budget.left-- <= 0) continue;
      yield child;
      if (!leave(child)) yield* below(child, leave, budget);
    }
  }

  const outermost = (node, condition) => [...below(node, condition)].filter(condition);

  function contains(outer, inner) {
    for (let node = inner; node; node = parentOf(node)) if (node === outer) return true;
    return false;
  }

  /** Too small to be seen, hidden, or neither to be seen nor pressed: what widgets do to the native list they stand for. */
  exported.isTucked = (element) => {
    const style = getComputedStyle(element);
    return isTiny(element) || style.opacity === '0' && style.pointerEvents === 'none' || !isVisible(element)
      || [...ancestorsOf(element)].slice(0, 2).some((outer) =>
        isTiny(outer) && getComputedStyle(outer).overflow !== 'visible'
      );
  };

  function isTiny(element) {
    const box = rectOf(element);
    return box.width <= 2 || box.height <= 2;
  }

  /**
   * What a person would use instead of the element: the widget that stands for a native list that it hides; in a part of the
   * page that is no field, the one that is in there. 0 when it is itself what is used, or there is not exactly one.
   */
  exported.standIn = (id, verb) => {
    const element = nodeFor(id);
    if (!element) return 0;
    if (isNativeList(element)) {
      const widget = exported.isTucked(element) ? widgetFor(element) : null;
      return widget ? idOf(widget) : 0;
    }
    if (isWidget(element) || fillKind(element) || PRESSED.has(roleOf(element))) return 0;
    const found = verb === 'fill'
      ? fieldsOf(element)
      : outermost(element, (inner) => isWidget(inner) || isShownList(inner)).filter(isReachable);
    if (found.length && found.every(isRadio)) return idOf(found[0]);
    if (found.length === 0 && verb === 'select') return idOfOuter(element);
    const fields = found.length > 1 ? found.filter((inner) => roleOf(inner) !== 'button') : found; // without the arrow beside it
    return fields.length === 1 ? idOf(fields[0]) : 0;
  };

  /** The combobox around its field, which has no role of its own: ARIA 1.1 describes it so. 0 for none. */
  exported.comboboxAround = (id) => {
    const element = nodeFor(id);
    const around = element ? [...ancestorsOf(element)].slice(0, LEVELS) : [];
    const found = around.find((outer) => roleIs(outer) === 'combobox');
    return found ? idOf(found) : 0;
  };

  /** The widget that an element is what a person sees of: the one around it, or the only one in the line that both stand in; 0 for none. */
  function idOfOuter(element) {
    for (const outer of [...ancestorsOf(element)].slice(0, LEVELS - 1)) {
      if (isOpener(outer)) return idOf(outer);
      if (rectOf(outer).height > TALLEST_LINE) return 0;
      const inside = outermost(outer, (inner) => isWidget(inner) || isNativeList(inner));
      if (inside.length > 0) return inside.length === 1 && isOpener(inside[0]) ? idOf(inside[0]) : 0;
    }
    return 0;
  }

  const isShownList = (element) => isNativeList(element) && !exported.isTucked(element);
  const isReachable = (element) => isVisible(element) || isRadio(element);

  /** The fields of a custom element, and the radio buttons or handles of any. */
  function fieldsOf(element) {
    const isField = (inner) => Boolean(fillKind(inner)) || exported.isStepped(inner) || isRadio(inner);
    const found = outermost(element, isField).filter(isReachable);
    return shadowRootOf(element) || found.every(isRadio) || found.every(exported.isStepped) ? found : [];
  }

  /** The widget that stands for a native list: around it, or the nearest one beside it, or beside what hides it. */
  function widgetFor(list) {
    const isUsable = (element) => (isOpener(element) || isStandingList(element)) && isVisible(element);
    const outer = [...ancestorsOf(list)].slice(0, 3);
    const around = outer.find(isUsable);
    if (around) return around;
    for (const part of [list, ...outer.filter(isTiny)]) {
      for (const beside of [...besides(part, 'nextElementSibling'), ...besides(part, 'previousElementSibling')]) {
        const found = isUsable(beside) ? beside : outermost(beside, isUsable)[0];
        if (found) return found;
      }
    }
    return null;
  }

  /** The few elements that follow one, or go before it, as far as the next native list. */
  function* besides(element, next) {
    let beside = element[next];
    for (let steps = 0; beside && steps < 3 && !isNativeList(beside); steps++, beside = beside[next]) yield beside;
  }

  /** Radio buttons and options that belong together: the list or group that an element is or is in. */
  function groupOf(element) {
    if (!isRadio(element)) return element;
    const all = Math.max(localNameOf(element) === 'input' ? namesakes(element).length : 0, 2);
    for (const ancestor of ancestorsOf(element)) {
      if (roleIs(ancestor) === 'radiogroup' || outermost(ancestor, isRadio).length >= all) return ancestor;
    }
    return element;
  }

  const namesakes = (radio) =>
    [...rootOf(radio).querySelectorAll('input[type=radio]')]
      .filter((other) => other.name && other.name === radio.name && other.form === radio.form);

  /** What kind of widget an element is; null for none. Remembers what there is to see before it is opened. */
  exported.widget = (id) => {
    const element = nodeFor(id);
    if (!element || !isWidget(element)) return null;
    const isOpen = isOpener(element);
    if (isOpen) exported.rememberLists();
    const list = isOpen ? null : groupOf(element);
    const native = nativeOf(element);
    return {
      opens: isOpen,
      suggests: localNameOf(element) === 'input' && hasAttr(element, 'list'),
      single: native ? !native.multiple : Boolean(list) && !says(list, 'aria-multiselectable'),
      multiple: native ? native.multiple : Boolean(list) && says(list, 'aria-multiselectable'),
      inDialog: [...ancestorsOf(element)].some((ancestor) =>
        localNameOf(ancestor) === 'dialog' || /dialog$/.test(roleIs(ancestor))
      ),
    };
  };

  /** The native list that a widget stands for. */
  function nativeOf(widget) {
    for (const ancestor of [widget, ...[...ancestorsOf(widget)].slice(0, LEVELS)]) {
      for (
        const near of [ancestor.previousElementSibling, ancestor.nextElementSibling, ...queryAll(ancestor, 'select')]
      ) {
        if (near && isNativeList(near) && exported.isTucked(near) && widgetFor(near) === widget) return near;
      }
    }
    return null;
  }

  exported.widgets = {
    LEVELS,
    roleIs,
    isNativeList,
    says,
    isOpener,
    isRadio,
    isWidget,
    below,
    outermost,
    contains,
    isReachable,
    groupOf,
  };
}
