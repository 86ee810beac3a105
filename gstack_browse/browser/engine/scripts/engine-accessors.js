// The prototypes' own accessors, which `<input name="firstChild">` in a form does not replace: named access hides the form's own
// in every world.

/** @type {(owner: any, name: string) => any} */
const getterOf = (owner, name) => Object.getOwnPropertyDescriptor(owner.prototype, name)?.get;
const getter = (owner, name) => {
  const get = getterOf(owner, name);
  return (object) => get.call(object);
};
const method = (owner, name) => {
  const call = owner.prototype[name];
  return (object, ...args) => call.apply(object, args);
};
// Accessors of an interface that few pages need: Chromium makes each one, with all that it has, when a world first names it. A missing
// one (no Chromium has `ariaOwnsElements`) reads as undefined.
const lateGetter = (owner, name) => {
  /** @type {any} */
  let read = null;
  const find = (from) => getterOf(from, name) ? getter(from, name) : () => undefined;
  return (object) => (read ??= find(globalThis[owner]))(object);
};
const lateMethod = (owner, name) => {
  /** @type {any} */
  let call = null;
  return (object, ...args) => (call ??= method(globalThis[owner], name))(object, ...args);
};

// Each accessor that the walk calls for every node has a function of its own: V8 inlines a call that is always the same one, which
// makes a walk a tenth faster.
const readFirstChild = getterOf(Node, 'firstChild');
const firstChildOf = (node) => readFirstChild.call(node);
const readNextSibling = getterOf(Node, 'nextSibling');
const nextSiblingOf = (node) => readNextSibling.call(node);
const readParentNode = getterOf(Node, 'parentNode');
const parentNodeOf = (node) => readParentNode.call(node);
const readNodeType = getterOf(Node, 'nodeType');
const nodeTypeOf = (node) => readNodeType.call(node);
const readDocument = getterOf(Node, 'ownerDocument');
const documentOf = (node) => readDocument.call(node);
const readTextContent = getterOf(Node, 'textContent');
const textContentOf = (node) => readTextContent.call(node);
const readData = getterOf(CharacterData, 'data');
const dataOf = (node) => readData.call(node);
const readLocalName = getterOf(Element, 'localName');
const localNameOf = (node) => readLocalName.call(node);
const readNamespace = getterOf(Element, 'namespaceURI');
const namespaceOf = (node) => readNamespace.call(node);
const readOpenShadowRootIn = getterOf(Element, 'shadowRoot');
const openShadowRootIn = (node) => readOpenShadowRootIn.call(node);
const readChildElementCount = getterOf(Element, 'childElementCount');
const childElementCountOf = (node) => readChildElementCount.call(node);
const callRootOf = Node.prototype.getRootNode;
/** @type {(node: Node) => any} */
const rootOf = (node) => callRootOf.call(node);
const callContainsNode = Node.prototype.contains;
const containsNode = (node, other) => callContainsNode.call(node, other);
const callRectOf = Element.prototype.getBoundingClientRect;
const rectOf = (node) => callRectOf.call(node);
const callMatches = Element.prototype.matches;
const matches = (node, selector) => callMatches.call(node, selector);
const callClosest = Element.prototype.closest;
/** @type {(node: Node, selector: string) => any} */
const closest = (node, selector) => callClosest.call(node, selector);
const callQueryAll = Element.prototype.querySelectorAll;
const queryAll = (node, selector) => callQueryAll.call(node, selector);
const callQueryOne = Element.prototype.querySelector;
const queryOne = (node, selector) => callQueryOne.call(node, selector);

const isConnected = getter(Node, 'isConnected');
const previousElementOf = getter(Element, 'previousElementSibling');

// Reads properties that several interfaces define (`HTMLElement`, `SVGElement`). Only a form can have them hidden by its fields'
// names, so every other element is asked directly.
const ofElement = (name) => (element) =>
  localNameOf(element) === 'form' ? Reflect.get(HTMLFormElement.prototype, name, element) : element[name];
const scrollHeightOf = ofElement('scrollHeight');
const scrollWidthOf = ofElement('scrollWidth');
const clientHeightOf = ofElement('clientHeight');
const clientWidthOf = ofElement('clientWidth');
const offsetHeightOf = ofElement('offsetHeight');
const offsetWidthOf = ofElement('offsetWidth');
const isContentEditable = ofElement('isContentEditable');
const parentElementOf = getter(Node, 'parentElement');
const labelsIn = ofElement('labels');
const scrollIntoView = method(Element, 'scrollIntoView');
const focusOn = (element, options) =>
  (element instanceof HTMLElement ? HTMLElement : SVGElement).prototype.focus.call(element, options);
const windowOf = getter(Document, 'defaultView');
const rootElementOf = getter(Document, 'documentElement');
const activeElementOf = getter(Document, 'activeElement');
const titleOf = getter(Document, 'title');
const bodyOf = getter(Document, 'body');
const headOf = getter(Document, 'head');
const scrollingElementOf = getter(Document, 'scrollingElement');
const documentHasFocus = method(Document, 'hasFocus');
const newElement = method(Document, 'createElement');
const ownAnimationsOf = method(Element, 'getAnimations');
const attributesOf = getter(Element, 'attributes');
const scrollTopOf = getter(Element, 'scrollTop');
const scrollLeftOf = getter(Element, 'scrollLeft');
const scrollWithin = method(Element, 'scrollBy');
const listenOn = method(EventTarget, 'addEventListener');
const dispatchOn = method(EventTarget, 'dispatchEvent');
const runCommand = method(Document, 'execCommand');
const readyStateOf = getter(Document, 'readyState');
const baseAddressOf = getter(Node, 'baseURI');
const doctypeOf = getter(Document, 'doctype');
const implementationOf = getter(Document, 'implementation');
const fontsOf = getter(Document, 'fonts');
const newElementOf = method(Document, 'createElementNS');
const newRange = method(Document, 'createRange');
const newTreeWalker = method(Document, 'createTreeWalker');
const evaluateXPath = method(Document, 'evaluate');
const queryDocument = method(Document, 'querySelector');
const queryInDocument = method(Document, 'querySelectorAll');
const queryInFragment = lateMethod('DocumentFragment', 'querySelectorAll');

export {
  activeElementOf,
  attributesOf,
  baseAddressOf,
  bodyOf,
  childElementCountOf,
  clientHeightOf,
  clientWidthOf,
  closest,
  containsNode,
  dataOf,
  dispatchOn,
  doctypeOf,
  documentHasFocus,
  documentOf,
  evaluateXPath,
  firstChildOf,
  focusOn,
  fontsOf,
  getter,
  getterOf,
  headOf,
  implementationOf,
  isConnected,
  isContentEditable,
  labelsIn,
  lateGetter,
  lateMethod,
  listenOn,
  localNameOf,
  matches,
  method,
  namespaceOf,
  newElement,
  newElementOf,
  newRange,
  newTreeWalker,
  nextSiblingOf,
  nodeTypeOf,
  offsetHeightOf,
  offsetWidthOf,
  openShadowRootIn,
  ownAnimationsOf,
  parentElementOf,
  parentNodeOf,
  previousElementOf,
  queryAll,
  queryDocument,
  queryInDocument,
  queryInFragment,
  queryOne,
  readyStateOf,
  rectOf,
  rootElementOf,
  rootOf,
  runCommand,
  scrollHeightOf,
  scrollingElementOf,
  scrollIntoView,
  scrollLeftOf,
  scrollTopOf,
  scrollWidthOf,
  scrollWithin,
  textContentOf,
  titleOf,
  windowOf,
};
