// Reading a page as a person sees it: rendered text, links, markup, attributes, styles. Changes nothing.

{
const BREAKS = new Set(["block", "flex", "grid", "list-item", "table", "table-row", "flow-root", "table-caption"]);
const SKIPPED = new Set(["script", "style", "noscript", "template", "head", "title", "meta", "link", "datalist"]);

/** Rendered text of an element (0: the document): what is visible, shadow roots included, a line per block. */
exported.text = (id) => {
  const root = id ? nodeFor(id) : document.body || document.documentElement;
  if (!root) return "";
  const writer = { out: [], gap: 0, space: false };
  if (root.localName === "input" || root.localName === "select" || root.localName === "textarea") writeField(root, writer);
  else writeNode(root, writer, false);
  return writer.out.join("").replace(/[ \t]+\n/g, "\n").replace(/\n{3,}/g, "\n\n").trim();
};

function writeField(field, writer) {
  if (isSecret(field)) return put("[redacted]", writer, false);
  if (field.localName === "select") return put([...field.selectedOptions].map((option) => option.label).join(", "), writer, false);
  return put(field.value, writer, true);
}

function writeNode(node, writer, preserve) {
  if (node.nodeType === Node.TEXT_NODE) return put(node.data, writer, preserve);
  if (node.nodeType !== Node.ELEMENT_NODE) return undefined;
  const tag = node.localName;
  if (SKIPPED.has(tag)) return undefined;
  if (tag === "br") return breakLine(writer, 1, true);
  const style = getComputedStyle(node);
  if (style.display === "none" || style.contentVisibility === "hidden") return undefined;
  if (tag === "textarea" || tag === "select") return undefined;
  const block = BREAKS.has(style.display);
  const gap = block ? (tag === "p" || /^h[1-6]$/.test(tag) ? 2 : 1) : 0;
  if (gap) breakLine(writer, gap, false);
  if (style.display === "table-cell") separateCell(node, writer);
  const shown = style.visibility === "visible";
  writeChildren(node, writer, /^(pre|break-spaces)/.test(style.whiteSpace), shown, style.display);
  if (gap) breakLine(writer, gap, false);
  return undefined;
}

function writeChildren(node, writer, preserve, shown, display) {
  for (const child of shownChildren(node)) {
    if (child.nodeType === Node.TEXT_NODE && (!shown || /^table(?!-cell|-caption)/.test(display))) continue;
    writeNode(child, writer, preserve);
  }
}

/** Children as rendered; of a closed details only its summary. */
function shownChildren(node) {
  if (localNameOf(node) === "details" && !node.open) {
    const summary = [...node.children].find((child) => localNameOf(child) === "summary");
    return summary ? [summary] : [];
  }
  return childrenOf(node);
}

function separateCell(cell, writer) {
  if (cell.previousElementSibling && writer.out.length && !writer.gap) {
    writer.out.push("\t");
    writer.space = false;
  }
}

function breakLine(writer, lines, hard) {
  writer.gap = hard ? writer.gap + lines : Math.max(writer.gap, lines);
  writer.space = false;
}

function put(text, writer, preserve) {
  const shown = preserve ? text : text.replace(/[ \t\r\n\f]+/g, " ");
  if (!shown) return;
  if (!preserve && shown === " ") {
    writer.space = writer.gap === 0;
    return;
  }
  if (writer.gap) {
    if (writer.out.length) writer.out.push("\n".repeat(Math.min(writer.gap, 2)));
    writer.gap = 0;
    writer.space = false;
  }
  const last = writer.out[writer.out.length - 1] || "";
  const glued = !last || /\s$/.test(last);
  if (preserve) {
    writer.out.push((writer.space && !glued ? " " : "") + shown);
    writer.space = false;
    return;
  }
  const leading = (writer.space || shown.startsWith(" ")) && !glued ? " " : "";
  writer.out.push(leading + shown.trim());
  writer.space = shown.endsWith(" ");
}

/** Every link that goes somewhere: its text, else its accessible name, and its absolute address. */
exported.links = () => {
  const found = [];
  for (const root of roots(document)) {
    for (const link of root.querySelectorAll("a[href],area[href]")) {
      const text = (link.innerText || "").replace(/\s+/g, " ").trim() || nameOf(link).trim();
      found.push([text, typeof link.href === "string" ? link.href : new URL(link.getAttribute("href"), document.baseURI).href]);
    }
  }
  return found;
};

/** The document and every shadow root in it that can be entered. */
function* roots(root) {
  yield root;
  for (const element of root.querySelectorAll("*")) {
    const inner = shadowRootOf(element);
    if (inner) yield* roots(inner);
  }
}

/** Markup: the inside of an element, or the whole document with its doctype. Values of secret fields are masked. */
exported.html = (id) => {
  if (!id) {
    const doctype = document.doctype ? `${new XMLSerializer().serializeToString(document.doctype)}\n` : "";
    return doctype + masked(document.documentElement, (copy) => copy.outerHTML);
  }
  const element = nodeFor(id);
  return element ? masked(element, (copy) => copy.innerHTML) : null;
};

/** Serialise an element; a copy is made only when there is a secret in it to hide. */
function masked(element, write) {
  const holdsSecret = (input) => isSecret(input) && input.hasAttribute("value");
  if (![...element.querySelectorAll("input")].some(holdsSecret)) return write(element);
  const inert = document.implementation.createHTMLDocument("");
  const copy = inert.importNode(element, true);
  for (const input of copy.querySelectorAll("input")) if (holdsSecret(input)) input.setAttribute("value", "[redacted]");
  return write(copy);
}

exported.attrs = (id) => {
  const element = nodeFor(id);
  if (!element) return null;
  const attributes = {};
  for (const { name, value } of element.attributes) {
    attributes[name] = name === "value" && isSecret(element) && value ? "[redacted]" : value;
  }
  return attributes;
};

/** Computed value of a CSS property; null when there is no such property. */
exported.css = (id, property) => {
  const element = nodeFor(id);
  if (!element) return null;
  const style = getComputedStyle(element);
  const value = style.getPropertyValue(property);
  return value || (property.startsWith("--") ? "" : property in style ? style[property] : null);
};

/** All property names, for "did you mean". */
exported.cssProperties = () => [...getComputedStyle(document.documentElement)];

/** Size of the whole page in CSS pixels. */
exported.pageSize = () => {
  const root = document.documentElement;
  return { width: Math.max(root.scrollWidth, root.clientWidth), height: Math.max(root.scrollHeight, root.clientHeight) };
};

/** The session storage of the document's origin. */
exported.sessionItems = () => {
  const items = {};
  try {
    for (let index = 0; index < sessionStorage.length; index++) items[sessionStorage.key(index)] = sessionStorage.getItem(sessionStorage.key(index));
  } catch {
    return { origin: "", items: {} };  // an origin that may not have any
  }
  return { origin: location.origin, items };
};
}
