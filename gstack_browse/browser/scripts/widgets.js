// Lists that pages build themselves, as ARIA describes them: what opens one, where its options are drawn, what it shows
// once one is chosen. Knows roles and properties and no library. Looks; changes nothing but scroll positions and the focus.

{
const { isVisible, fillKind } = exported;

const LIST = "[role=listbox],[role=menu],[role=tree],[role=grid],[role=radiogroup]";
const OPENS = new Set(["listbox", "tree", "grid"]);
const CHOICES = new Set(["option", "radio", "menuitemradio", "menuitemcheckbox", "treeitem"]);
const PRESSED = new Set(["button", "link", "checkbox", "switch", "tab", "menuitem", "option"]);
/** Elements that are read at most, around a widget and in a list. */
const MOST_ELEMENTS = 20000;
const MOST_OPTIONS = 30;
/** How far up a list may be from the one that is named, and what shows a widget's value from the widget. */
const LEVELS = 4;

const roleIs = (element) => explicitRoleOf(element) || "";
const isNativeList = (element) => localNameOf(element) === "select";
const says = (element, name) => attr(element, name) === "true";

/** Whether the element opens a list of options. */
function isOpener(element) {
  if (isNativeList(element)) return false;
  const role = roleIs(element);
  if (role === "combobox" || localNameOf(element) === "input" && hasAttr(element, "list")) return true;
  if (role === "listbox") return localNameOf(element) === "input" || hasAttr(element, "aria-expanded");
  return OPENS.has(attr(element, "aria-haspopup"));
}

const isStandingList = (element) => !isNativeList(element) && (roleIs(element) === "listbox" || roleIs(element) === "radiogroup") && !isOpener(element);
const isRadio = (element) => roleOf(element) === "radio";
const isWidget = (element) => isOpener(element) || isStandingList(element) || isRadio(element);

/** Elements below a node, as a person sees them, without what is below those for which `leave` holds. */
function* below(node, leave = () => false, budget = { left: MOST_ELEMENTS }) {
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
  const box = rectOf(element);
  const style = getComputedStyle(element);
  return box.width <= 2 || box.height <= 2 || style.opacity === "0" && style.pointerEvents === "none" || !isVisible(element);
};

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
  const found = verb === "fill" ? fieldsOf(element) : outermost(element, (inner) => isWidget(inner) || isShownList(inner)).filter(isReachable);
  if (found.length && found.every(isRadio)) return idOf(found[0]);
  return found.length === 1 ? idOf(found[0]) : 0;
};

const isShownList = (element) => isNativeList(element) && !exported.isTucked(element);
const isReachable = (element) => isVisible(element) || isRadio(element);

/** The fields of a custom element, and the radio buttons of any. */
function fieldsOf(element) {
  const isField = (inner) => Boolean(fillKind(inner)) || exported.isStepped(inner) || isRadio(inner);
  const found = outermost(element, isField).filter(isReachable);
  return shadowRootOf(element) || found.every(isRadio) ? found : [];
}

/** The widget that stands for a native list: around it, or the nearest one beside it. */
function widgetFor(list) {
  const isUsable = (element) => (isOpener(element) || isStandingList(element)) && isVisible(element);
  for (const ancestor of [...ancestorsOf(list)].slice(0, 3)) if (isUsable(ancestor)) return ancestor;
  for (const [next, most] of [["nextElementSibling", 3], ["previousElementSibling", 3]]) {
    let beside = list[next];
    for (let steps = 0; beside && steps < most; steps++, beside = beside[next]) {
      if (isNativeList(beside)) break;
      const found = isUsable(beside) ? beside : outermost(beside, isUsable)[0];
      if (found) return found;
    }
  }
  return null;
}

/** Radio buttons and options that belong together: the list or group that an element is or is in. */
function groupOf(element) {
  if (!isRadio(element)) return element;
  const all = Math.max(localNameOf(element) === "input" ? namesakes(element).length : 0, 2);
  for (const ancestor of ancestorsOf(element)) {
    if (roleIs(ancestor) === "radiogroup" || outermost(ancestor, isRadio).length >= all) return ancestor;
  }
  return element;
}

const namesakes = (radio) => [...rootOf(radio).querySelectorAll("input[type=radio]")]
  .filter((other) => other.name && other.name === radio.name && other.form === radio.form);

/** Lists that can be seen before the widget is opened, not what it opens; and those that have a place, but nothing in it. */
let standing = new WeakSet();
let empty = new WeakSet();

/** What kind of widget an element is; null for none. Remembers what there is to see before it is opened. */
exported.widget = (id) => {
  const element = nodeFor(id);
  if (!element || !isWidget(element)) return null;
  const isOpen = isOpener(element);
  if (isOpen) remember();
  const list = isOpen ? null : groupOf(element);
  const native = nativeOf(element);
  return {
    opens: isOpen,
    suggests: localNameOf(element) === "input" && hasAttr(element, "list"),
    single: native ? !native.multiple : Boolean(list) && !says(list, "aria-multiselectable"),
    multiple: native ? native.multiple : Boolean(list) && says(list, "aria-multiselectable"),
    inDialog: [...ancestorsOf(element)].some((ancestor) => localNameOf(ancestor) === "dialog" || /dialog$/.test(roleIs(ancestor))),
  };
};

/** The native list that a widget stands for. */
function nativeOf(widget) {
  for (const ancestor of [widget, ...[...ancestorsOf(widget)].slice(0, LEVELS)]) {
    for (const near of [ancestor.previousElementSibling, ancestor.nextElementSibling, ...queryAll(ancestor, "select")]) {
      if (near && isNativeList(near) && exported.isTucked(near) && widgetFor(near) === widget) return near;
    }
  }
  return null;
}

function remember() {
  const lists = [...listsIn(document)];
  standing = new WeakSet(lists.filter(isVisible));
  empty = new WeakSet(lists.filter((list) => isRendered.call(list, { visibilityProperty: true })));
}

function* listsIn(document) {
  for (const root of treesOf(document)) yield* root.querySelectorAll(LIST);
}

function* treesOf(root) {
  yield root;
  for (const element of root.querySelectorAll("*")) {
    const inner = shadowRootOf(element);
    if (inner) yield* treesOf(inner);
  }
}

/** Lists that a widget may have opened: those it names; else those in it; else those that were not there before. */
function listsOf(widget) {
  const named = namedBy(widget);
  if (named.length) return named;
  const isNew = (list) => !standing.has(list) && !contains(list, widget);
  const inside = outermost(widget, (element) => matches(element, LIST));
  const found = inside.length ? inside : [...listsIn(document)].filter((list) => isVisible(list) && !isNamed(list)).reverse();
  return found.filter(isNew).sort((one, other) => empty.has(one) - empty.has(other));
}

function namedBy(widget) {
  const named = new Set();
  const naming = [widget, ...outermost(widget, isTextField), ...[...ancestorsOf(widget)].slice(0, 2).filter(isOpener), ...focusedIn(widget)];
  for (const element of naming) {
    for (const list of [...referenced(element, "aria-controls"), ...referenced(element, "aria-owns")]) named.add(list);
    for (const active of referenced(element, "aria-activedescendant")) named.add([...ancestorsOf(active)].find((outer) => matches(outer, LIST)));
  }
  return [...named].filter((list) => list && (matches(list, LIST) || list.querySelector(`${LIST},[role=option]`)));
}

/** Whether any element names a list as its own. */
function isNamed(list) {
  const id = attr(list, "id");
  return Boolean(id) && [...rootOf(list).querySelectorAll("[aria-controls],[aria-owns]")]
    .some((element) => [...referenced(element, "aria-controls"), ...referenced(element, "aria-owns")].includes(list));
}

const isTextField = (element) => localNameOf(element) === "input" || localNameOf(element) === "textarea";

/** What has the focus, where no other widget has it. */
function focusedIn(widget) {
  let element = document.activeElement;
  while (element && shadowRootOf(element) && shadowRootOf(element).activeElement) element = shadowRootOf(element).activeElement;
  if (!element || element === document.body) return [];
  return element !== widget && isOpener(element) && !contains(widget, element) ? [] : [element];
}

/** The list that is open, and its options: `{ list, options }`, or null. */
function opened(widget) {
  if (!isOpener(widget)) {
    const list = groupOf(widget);
    return { list, options: optionsIn(list, isReachable) };
  }
  const parts = [...listsOf(widget)].flatMap((list) => partsAround(list, widget));
  for (const read of [(part) => optionsIn(part, isVisible), linesIn]) {
    for (const part of parts) {
      const options = read(part);
      if (options.length) return { list: part, options };
    }
  }
  return null;
}

/**
 * A list and what is around it, as far as that holds neither the widget nor another list: options that a person sees may
 * stand beside a list for screen readers.
 */
function partsAround(list, widget) {
  const parts = [];
  for (let part = list; part && part !== document.body && !contains(part, widget) && parts.length < LEVELS; part = parentOf(part)) {
    if (part !== list && outermost(part, (element) => matches(element, LIST) && element !== list && !contains(element, list)).length) break;
    parts.push(part);
  }
  return parts;
}

/** Elements with text of their own: what a person sees as options where those that are marked as such cannot be seen. */
function linesIn(part) {
  if (!outermost(part, (element) => roleIs(element) === "option").length) return [];
  const hasText = (element) => [...childrenOf(element)].some((child) => isText(child) && cleanText(dataOf(child)));
  return outermost(part, (element) => isNativeList(element) || hasText(element)).filter((line) => !isNativeList(line) && isVisible(line));
}

function optionsIn(list, isShown) {
  const inGrid = roleIs(list) === "grid";
  const isOption = (element) => CHOICES.has(roleOf(element)) && localNameOf(element) !== "option" || inGrid && roleIs(element) === "gridcell"
    || hasAttr(element, "aria-selected") && !roleIs(element);
  return outermost(list, isOption).filter(isShown);
}

/** The words by which a person may mean an option: its name, its text, the first line of that. */
function labelsOf(option) {
  const text = exported.text(idOf(option));
  const labels = [nameOf(option), text, text.split("\n")[0]].map(cleanText).filter(Boolean);
  return [...new Set(labels)];
}

const valueOf = (option) => attr(option, "data-value") ?? attr(option, "value");
const isOff = (option) => matches(option, ":disabled") || closest(option, "[aria-disabled=true]") !== null;

function isChosen(option) {
  if (localNameOf(option) === "input") return option.checked;
  return says(option, "aria-selected") || says(option, "aria-checked");
}

function found(options, wanted) {
  const words = cleanText(wanted);
  const folded = words.toLowerCase();
  const named = options.map(labelsOf);
  for (const fits of [
    (option, labels) => labels.includes(words),
    (option, labels) => labels.some((label) => label.toLowerCase() === folded),
    (option) => valueOf(option) === wanted,
  ]) {
    const index = options.findIndex((option, at) => fits(option, named[at]));
    if (index >= 0) return options[index];
  }
  return null;
}

/** Of options that stand for numbers, as those of a rating: by its value, by its name ("3 Stars"), by its place. */
function rated(options, number) {
  const startsWith = (option) => labelsOf(option).some((label) => parseFloat(label) === number);
  const isWorth = (option) => valueOf(option) !== null && valueOf(option) !== "" && Number(valueOf(option)) === number;
  const isPlaced = (option) => attr(option, "aria-posinset") === String(number);
  return options.find(isWorth) || options.find(startsWith) || options.find(isPlaced) || null;
}

/**
 * What a widget has open: whether there is any option to see, the one that is `wanted`, and the first few of all. With
 * `asNumber` the option of a rating that stands for it.
 */
exported.listing = (id, wanted, asNumber) => {
  const widget = nodeFor(id);
  if (!widget) return null;
  const open = opened(widget);
  const options = open ? open.options : [];
  const option = found(options, wanted) || (asNumber ? rated(options, Number(wanted)) : null);
  return {
    open: options.length > 0,
    expanded: expandedBy(widget),
    found: option && {
      id: idOf(option),
      labels: labelsOf(option),
      disabled: isOff(option),
      chosen: isChosen(option),
    },
    options: options.slice(0, MOST_OPTIONS).map((each) => ({ label: labelsOf(each)[0] || "", value: valueOf(each) || "", disabled: isOff(each) })),
    total: options.length,
    multiple: Boolean(open) && says(open.list, "aria-multiselectable"),
  };
};

const expandedBy = (widget) => [widget, ...outermost(widget, isTextField)].some((element) => says(element, "aria-expanded"));

/** Scroll an open list to its top, or on by most of what it shows. False when there is nothing more to see that way. */
exported.scrollList = (id, toTop) => {
  const open = opened(nodeFor(id));
  if (!open) return false;
  const around = [open.list, ...below(open.list), ...[...ancestorsOf(open.list)].slice(0, LEVELS)];
  const scrolls = (...ways) => (element) => element.scrollHeight > element.clientHeight + 1 && element.clientHeight > 0
    && ways.includes(getComputedStyle(element).overflowY);
  const area = around.find(scrolls("auto", "scroll")) || around.find(scrolls("hidden"));
  if (!area) return false;
  const before = area.scrollTop;
  area.scrollTo({ top: toTop ? 0 : before + Math.max(area.clientHeight * 0.8, 20), behavior: "instant" });
  return area.scrollTop !== before;
};

/** Where to press for an option: itself, or the label of a radio button; `byKey` for one that neither reaches. */
exported.pressable = (id) => {
  const option = nodeFor(id);
  if (!option || isVisible(option) && isHit(option)) return { id, byKey: false };
  const label = [...(option.labels || [])].find((each) => isVisible(each) && isHit(each));
  return label ? { id: idOf(label), byKey: false } : { id, byKey: isRadio(option) && isFocusable(option) };
};

/** Whether a press on the middle of an element would reach it. */
function isHit(element) {
  element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const box = rectOf(element);
  let hit = null;
  for (let root = document, next = null; root; root = hit && shadowRootOf(hit)) {
    next = root.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    if (!next || next === hit) break;
    hit = next;
  }
  return Boolean(hit) && contains(element, hit);
}

/** Whether a person could open the widget by a press on its middle. */
exported.canBePressed = (id) => {
  const widget = nodeFor(id);
  return Boolean(widget) && isVisible(widget) && isHit(widget);
};

/** Focus the widget; with `ifNothing` only where nothing has the focus, as after a press on an option that takes none. */
exported.focusOn = (id, ifNothing) => {
  const element = nodeFor(id);
  if (!element || ifNothing && document.activeElement && document.activeElement !== document.body) return false;
  const place = isFocusable(element) ? element : [...below(element)].find(isFocusable) || element;
  place.focus();
  return true;
};

/** The text field that has the focus, where it belongs to the widget or to what that has opened; null for none. */
exported.filter = (id) => {
  const widget = nodeFor(id);
  const [field] = widget ? focusedIn(widget) : [];
  if (!field || fillKind(field) !== "text" || field.readOnly || field.disabled) return null;
  const open = opened(widget);
  const isOurs = contains(widget, field) || contains(field, widget) || isBeside(open, field) || shares(widget, field);
  return isOurs ? { id: idOf(field), held: isSecret(field) ? "" : field.value } : null;
};

/** Whether a field stands with the options of an open list. */
function isBeside(open, field) {
  return Boolean(open) && [...ancestorsOf(open.list)].slice(0, LEVELS).some((outer) => outer !== document.body && contains(outer, field));
}

/** Whether a field is in the part of the page that shows the widget's value. */
const shares = (widget, field) => contains(surroundings(widget), field);

/** The widget with what stands around it and shows its value: as much of the page as has no other field in it. */
function surroundings(widget) {
  let part = widget;
  const isOther = (element) => (isWidget(element) || isTextField(element) || isNativeList(element))
    && !contains(widget, element) && !contains(element, widget) && !says(element, "aria-hidden") && isVisible(element) && !exported.isTucked(element);
  for (const outer of [...ancestorsOf(widget)].slice(0, LEVELS)) {
    if (outer === document.body || outer === document.documentElement || outermost(outer, isOther).length) break;
    part = outer;
  }
  return part;
}

/** What a widget shows, piece by piece, itself or with what stands around it, without its name and the options that are open. */
function shownBy(widget, part) {
  const open = opened(widget);
  const names = [...(widget.labels || []), ...referenced(widget, "aria-labelledby")].filter((label) => !contains(widget, label));
  const skipped = new Set([...(isOpener(widget) && open ? [open.list] : []), ...names]);
  return [...piecesOf(part, skipped)].filter(Boolean);
}

function* piecesOf(element, skipped) {
  const name = localNameOf(element);
  if (skipped.has(element) || name === "script" || name === "style" || name === "label" || name === "select") return;
  const style = getComputedStyle(element);
  if (style.display === "none" || style.display !== "contents" && !isRendered.call(element, { visibilityProperty: true })) return;
  const box = rectOf(element);
  if (style.overflow !== "visible" && (box.width <= 1 || box.height <= 1)) return;
  if (isTextField(element)) {
    if (!isSecret(element) && fillKind(element)) yield cleanText(element.value);
    return;
  }
  for (const child of childrenOf(element)) {
    if (isText(child)) yield cleanText(dataOf(child));
    else if (isElement(child)) yield* piecesOf(child, skipped);
  }
}

/**
 * What became of a choice: what the field that has the focus holds, what the widget and its surroundings show; whether the widget itself (`own`), or anything there
 * (`exact`), shows one of the labels and nothing else, or has it in it (`says`); and whether the option, if it is still to
 * be seen, counts as chosen.
 */
exported.outcome = (id, wanted, optionId) => {
  const widget = nodeFor(id);
  if (!widget) return null;
  const labels = wanted.map((label) => cleanText(label).toLowerCase());
  const isLabel = (piece) => [piece, ...piece.split(/[,;|·]/)].some((part) => labels.includes(cleanText(part).toLowerCase()));
  const pieces = shownBy(widget, surroundings(widget));
  const shows = pieces.join(" ");
  const option = optionId ? nodeFor(optionId) : null;
  const [field] = focusedIn(widget);
  return {
    held: field && isTextField(field) && !isSecret(field) ? field.value : "",
    shows: shows.slice(0, 200),
    own: shownBy(widget, widget).some(isLabel),
    exact: pieces.some(isLabel),
    says: labels.some((label) => shows.toLowerCase().includes(label)),
    chosen: option && isReachable(option) ? isChosen(option) : null,
    open: isOpener(widget) && opened(widget) !== null,
  };
};

/** The suggestions of a native field with a `list`. */
exported.suggestions = (id) => {
  const field = nodeFor(id);
  const list = field && hasAttr(field, "list") ? elementById(field, attr(field, "list")) : null;
  return list ? [...list.querySelectorAll("option")].map((option) => ({ label: option.label, value: option.value, disabled: option.disabled, selected: false })) : [];
};
}
