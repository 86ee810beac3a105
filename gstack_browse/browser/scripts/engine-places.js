// What a reference is and where: the answers to Python's questions about single nodes.

// What a key is now: null when gone, else its role and name, the iframes of this process around it (ids, and their
// places among their siblings), and its own place when it is an iframe.
function locate(key) {
  const node = nodeFor(key);
  if (!node) return null;
  const [frames, places] = [[], []];
  for (let view = windowOf(documentOf(node)); view !== window;) {
    const frame = view.frameElement;
    if (!frame || !isAlive(frame)) return null;
    frames.unshift(idOf(frame));
    places.unshift(placeOf(frame));
    view = windowOf(documentOf(frame));
  }
  const role = contentRole(node);
  const place = isFrame(node) ? placeOf(node) : -1;
  return { token: table.token, id: idOf(node), frames, places, place, role: role || 'generic', name: nameOf(node, role).slice(0, 200) };
}

// Which of its window's frames an iframe shows.
function placeOf(frame) {
  const view = windowOf(documentOf(frame));
  for (let index = 0; index < view.length; index++) if (view[index] === frame.contentWindow) return index;
  return -1;
}

// Where the nodes are on the screen, in CSS pixels of this process's own viewport: [x, y, width, height], or null for
// what cannot be seen there: outside, scrolled away, or under something else.
function boxes(keys) {
  return keys.map(key => {
    const node = nodeFor(key);
    return node && isElement(node) && isUncovered(node) ? boxOf(node) : null;
  });
}

function isUncovered(element) {
  const rect = rectOf(element);
  const view = windowOf(documentOf(element));
  const [left, right] = [Math.max(rect.left, 0), Math.min(rect.right, view.innerWidth)];
  const [top, bottom] = [Math.max(rect.top, 0), Math.min(rect.bottom, view.innerHeight)];
  if (right - left < 1 || bottom - top < 1) return false;
  const root = rootOf(element);
  const hit = root.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  if (!hit) return false;
  if (containsNode(element, hit) || containsNode(hit, element)) return true;
  return [...ancestorsOf(hit)].includes(element) || labelsOf(element).some(label => containsNode(label, hit));
}

function boxOf(element) {
  const rect = rectOf(element);
  if (rect.width < 1 || rect.height < 1) return null;
  let [x, y] = [rect.left, rect.top];
  for (let view = windowOf(documentOf(element)); view && view !== window;) {
    const frame = view.frameElement;
    if (!frame) return null;
    const outer = rectOf(frame);
    x += outer.left + frame.clientLeft + parseFloat(getComputedStyle(frame).paddingLeft);
    y += outer.top + frame.clientTop + parseFloat(getComputedStyle(frame).paddingTop);
    view = windowOf(documentOf(frame));
  }
  return [x, y, rect.width, rect.height];
}

// Where the viewport of an iframe begins in this process's viewport.
function insideOf(id) {
  const frame = nodeFor(id);
  const box = frame && boxOf(frame);
  if (!box) return [0, 0];
  const style = getComputedStyle(frame);
  return [box[0] + frame.clientLeft + parseFloat(style.paddingLeft), box[1] + frame.clientTop + parseFloat(style.paddingTop)];
}

const viewportSize = () => ({ width: window.innerWidth, height: window.innerHeight });

Object.assign(exported, { locate, boxes, insideOf, viewportSize });
