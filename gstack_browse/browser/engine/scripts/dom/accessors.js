// The prototypes' own accessors, which `<input name="firstChild">` in a form does not replace: named access hides the form's own
// in every world.

/** @type {(owner: any, name: string) => any} */
export const getterOf = (owner, name) => Object.getOwnPropertyDescriptor(owner.prototype, name)?.get;
export const getter = (owner, name) => {
  const get = getterOf(owner, name);
  return (object) => get.call(object);
};
export const method = (owner, name) => {
  const call = owner.prototype[name];
  return (object, ...args) => call.apply(object, args);
};
/**
 * Accessors of an interface that few pages need: Chromium makes each one, with all that it has, when a world first names it. A missing
 * one (no Chromium has `ariaOwnsElements`) reads as undefined.
 */
export const lateGetter = (owner, name) => {
  /** @type {any} */
  let read = null;
  const find = (from) => getterOf(from, name) ? getter(from, name) : () => undefined;
  return (object) => (read ??= find(globalThis[owner]))(object);
};
export const lateMethod = (owner, name) => {
  /** @type {any} */
  let call = null;
  return (object, ...args) => (call ??= method(globalThis[owner], name))(object, ...args);
};

// Each accessor that the walk calls for every node has a function of its own: V8 inlines a call that is always the same one, which
// makes a walk a tenth faster.
const readFirstChild = getterOf(Node, 'firstChild');
export const firstChildOf = (node) => readFirstChild.call(node);
const readNextSibling = getterOf(Node, 'nextSibling');
export const nextSiblingOf = (node) => readNextSibling.call(node);
const readParentNode = getterOf(Node, 'parentNode');
export const parentNodeOf = (node) => readParentNode.call(node);
const readNodeType = getterOf(Node, 'nodeType');
export const nodeTypeOf = (node) => readNodeType.call(node);
const readDocument = getterOf(Node, 'ownerDocument');
export const documentOf = (node) => readDocument.call(node);
const readTextContent = getterOf(Node, 'textContent');
export const textContentOf = (node) => readTextContent.call(node);
const readData = getterOf(CharacterData, 'data');
export const dataOf = (node) => readData.call(node);
const readLocalName = getterOf(Element, 'localName');
export const localNameOf = (node) => readLocalName.call(node);
const readNamespace = getterOf(Element, 'namespaceURI');
export const namespaceOf = (node) => readNamespace.call(node);
const readOpenShadowRootIn = getterOf(Element, 'shadowRoot');
export const openShadowRootIn = (node) => readOpenShadowRootIn.call(node);
const readChildElementCount = getterOf(Element, 'childElementCount');
export const childElementCountOf = (node) => readChildElementCount.call(node);
const callRootOf = Node.prototype.getRootNode;
/** @type {(node: Node) => any} */
export const rootOf = (node) => callRootOf.call(node);
const callContainsNode = Node.prototype.contains;
export const containsNode = (node, other) => callContainsNode.call(node, other);
const callRectOf = Element.prototype.getBoundingClientRect;
export const rectOf = (node) => callRectOf.call(node);
const callMatches = Element.prototype.matches;
export const matches = (node, selector) => callMatches.call(node, selector);
const callClosest = Element.prototype.closest;
/** @type {(node: Node, selector: string) => any} */
export const closest = (node, selector) => callClosest.call(node, selector);
const callQueryAll = Element.prototype.querySelectorAll;
export const queryAll = (node, selector) => callQueryAll.call(node, selector);
const callQueryOne = Element.prototype.querySelector;
export const queryOne = (node, selector) => callQueryOne.call(node, selector);

export const isConnected = getter(Node, 'isConnected');
export const previousElementOf = getter(Element, 'previousElementSibling');

/**
 * Reads properties that several interfaces define (`HTMLElement`, `SVGElement`). Only a form can have them hidden by its fields'
 * names, so every other element is asked directly.
 */
const ofElement = (name) => (element) =>
  localNameOf(element) === 'form' ? Reflect.get(HTMLFormElement.prototype, name, element) : element[name];
export const scrollHeightOf = ofElement('scrollHeight');
export const scrollWidthOf = ofElement('scrollWidth');
export const clientHeightOf = ofElement('clientHeight');
export const clientWidthOf = ofElement('clientWidth');
export const offsetHeightOf = ofElement('offsetHeight');
export const offsetWidthOf = ofElement('offsetWidth');
export const isContentEditable = ofElement('isContentEditable');
export const parentElementOf = getter(Node, 'parentElement');
export const labelsIn = ofElement('labels');
export const scrollIntoView = method(Element, 'scrollIntoView');
export const focusOn = (element, options) =>
  (element instanceof HTMLElement ? HTMLElement : SVGElement).prototype.focus.call(element, options);
export const windowOf = getter(Document, 'defaultView');
export const rootElementOf = getter(Document, 'documentElement');
export const activeElementOf = getter(Document, 'activeElement');
export const titleOf = getter(Document, 'title');
export const bodyOf = getter(Document, 'body');
export const headOf = getter(Document, 'head');
export const scrollingElementOf = getter(Document, 'scrollingElement');
export const documentHasFocus = method(Document, 'hasFocus');
export const newElement = method(Document, 'createElement');
export const ownAnimationsOf = method(Element, 'getAnimations');
export const attributesOf = getter(Element, 'attributes');
export const scrollTopOf = getter(Element, 'scrollTop');
export const scrollLeftOf = getter(Element, 'scrollLeft');
export const scrollWithin = method(Element, 'scrollBy');
export const listenOn = method(EventTarget, 'addEventListener');
export const dispatchOn = method(EventTarget, 'dispatchEvent');
export const runCommand = method(Document, 'execCommand');
export const readyStateOf = getter(Document, 'readyState');
export const baseAddressOf = getter(Node, 'baseURI');
export const doctypeOf = getter(Document, 'doctype');
export const implementationOf = getter(Document, 'implementation');
export const fontsOf = getter(Document, 'fonts');
export const newElementOf = method(Document, 'createElementNS');
export const newRange = method(Document, 'createRange');
export const newTreeWalker = method(Document, 'createTreeWalker');
export const evaluateXPath = method(Document, 'evaluate');
export const queryDocument = method(Document, 'querySelector');
export const queryInDocument = method(Document, 'querySelectorAll');
export const queryInFragment = lateMethod('DocumentFragment', 'querySelectorAll');
