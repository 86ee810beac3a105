// Reading a page as a person sees it: rendered text, links, markup, attributes, styles. Changes nothing.

{
const BREAKS = new Set(["block", "flex", "grid", "list-item", "table", "table-row", "flow-root", "table-caption"]);
const SKIPPED = new Set(["script", "style", "noscript", "template", "head", "title", "meta", "link", "datalist"]);

const REPLACED = new Set(["img", "input", "select", "textarea", "canvas", "video", "audio", "iframe", "object", "embed"]);

/** Rendered text of an element (0: the document): what is visible, shadow roots included, a line per block. */
exported.text = (id) => {
  const root = id ? nodeFor(id) : document.body || document.documentElement;
  if (!root) return "";
  const writer = newWriter();
  if (["input", "select", "textarea"].includes(localNameOf(root))) writeField(root, writer);
  else writeNode(root, writer, lookOf(getComputedStyle(root)));
  return writer.out.join("").replace(/[ \t]+\n/g, "\n").replace(/\n{3,}/g, "\n\n").trim();
};

/** What has been written, and what is to come before the next word: blank lines, a space, or one that edges may make. */
const newWriter = () => ({ out: [], gap: 0, space: false, edges: [] });

function writeField(field, writer) {
  if (isSecret(field)) return put("[redacted]", writer, "");
  if (localNameOf(field) === "select") return put(shownOptions(field), writer, "all");
  return put(field.value, writer, "all");
}

/** What a person sees of a list: all of it when it stands open, else what is chosen. */
function shownOptions(list) {
  const isOpen = list.multiple || list.size > 1;
  const labels = [...(isOpen ? list.options : list.selectedOptions)].map((option) => option.label);
  return labels.join(isOpen ? "\n" : ", ");
}

function writeNode(node, writer, look) {
  if (isText(node)) return put(transformed(node.data, look), writer, look.white);
  if (!isElement(node)) return undefined;
  const tag = localNameOf(node);
  if (SKIPPED.has(tag)) return undefined;
  if (tag === "br") return breakLine(writer, 1, true);
  const style = getComputedStyle(node);
  if (style.display === "none" || style.contentVisibility === "hidden") return undefined;
  if (REPLACED.has(tag)) return standApart(writer);
  const block = BREAKS.has(style.display);
  const gap = block ? (tag === "p" || /^h[1-6]$/.test(tag) ? 2 : 1) : 0;
  if (gap) breakLine(writer, gap, false);
  else writer.edges.push([style, "Left"]);
  if (style.display === "table-cell") return writeCell(node, writer, style);
  writeChildren(node, writer, style);
  if (gap) breakLine(writer, gap, false);
  else writer.edges.push([style, "Right"]);
  return undefined;
}

/** How text is shown inside an element: what becomes of white space and of letters. */
function lookOf(style) {
  const white = /^(pre|pre-wrap|break-spaces)$/.test(style.whiteSpace) ? "all" : style.whiteSpace === "pre-line" ? "lines" : "";
  return { white, transform: style.textTransform };
}

function transformed(text, look) {
  if (look.transform === "uppercase") return text.toUpperCase();
  if (look.transform === "lowercase") return text.toLowerCase();
  if (look.transform === "capitalize") return text.replace(/(^|[\s(-])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase());
  return text;
}

/** Whether an inline element's edge keeps a visible distance from what stands beside it (buttons, badges). */
function isApart([style, side]) {
  const width = (name) => parseFloat(style[name]) || 0;
  return width(`margin${side}`) + width(`padding${side}`) + width(`border${side}Width`) >= 2;
}

function standApart(writer) {
  if (!writer.gap) writer.space = true;
}

function writeChildren(node, writer, style) {
  const look = lookOf(style);
  const silent = style.visibility !== "visible" || /^table(?!-cell|-caption)/.test(style.display);
  for (const child of shownChildren(node)) {
    if (!(silent && isText(child))) writeNode(child, writer, look);
  }
}

/** Children as rendered; of a closed details only its summary. */
function shownChildren(node) {
  if (localNameOf(node) === "details" && !node.open) {
    const summary = [...childrenOf(node)].find((child) => isElement(child) && localNameOf(child) === "summary");
    return summary ? [summary] : [];
  }
  return childrenOf(node);
}

const LONGEST_CELL = 200;

/** A cell stands on the line of its row, unless it is the frame of a whole layout. */
function writeCell(cell, writer, style) {
  const inner = newWriter();
  writeChildren(cell, inner, style);
  const text = inner.out.join("").trim();
  const isData = text.length <= LONGEST_CELL && !queryOne(cell, "table");
  if (cell.previousElementSibling && writer.out.length && !writer.gap) {
    writer.out.push("\t");
    writer.space = false;
  }
  put(isData ? text.replace(/\s*\n\s*/g, " ") : text, writer, "all");
}

function breakLine(writer, lines, hard) {
  writer.gap = hard ? writer.gap + lines : Math.max(writer.gap, lines);
  writer.space = false;
  writer.edges = [];
}

/** Write text as shown: `white` says which white space counts, "all", "lines" or none. */
function put(text, writer, white) {
  if (white === "lines") {
    text.split("\n").forEach((line, index) => {
      if (index) breakLine(writer, 1, true);
      put(line, writer, "");
    });
    return;
  }
  const shown = white ? text : text.replace(/[ \t\r\n\f]+/g, " ");
  if (!shown) return;
  if (!white && shown === " ") {
    standApart(writer);
    return;
  }
  if (writer.gap) {
    if (writer.out.length) writer.out.push("\n".repeat(Math.min(writer.gap, 2)));
    writer.gap = 0;
    writer.space = false;
  }
  const last = writer.out[writer.out.length - 1] || "";
  const glued = !last || /\s$/.test(last);
  if (!glued && !writer.space) writer.space = writer.edges.some(isApart);  // asked only where it matters: styles are slow
  writer.edges = [];
  if (white) {
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
  const holdsSecret = (input) => isSecret(input) && hasAttr(input, "value");
  if (![...queryAll(element, "input")].some(holdsSecret)) return write(element);
  const inert = document.implementation.createHTMLDocument("");
  const copy = inert.importNode(element, true);
  for (const input of copy.querySelectorAll("input")) if (holdsSecret(input)) input.setAttribute("value", "[redacted]");
  return write(copy);
}

const attributesOf = getter(Element, "attributes");

exported.attrs = (id) => {
  const element = nodeFor(id);
  if (!element) return null;
  const attributes = {};
  for (const { name, value } of attributesOf(element)) {
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

/** Size of the whole page in CSS pixels, and how far it is scrolled. */
exported.pageSize = () => {
  const root = document.documentElement;
  return {
    width: Math.max(root.scrollWidth, root.clientWidth),
    height: Math.max(root.scrollHeight, root.clientHeight),
    left: scrollX,
    top: scrollY,
  };
};

/**
 * When the fonts that the page shows have arrived, and its frames have had time to draw: those of other processes draw by
 * themselves. Everything else Chromium draws anew for a picture.
 */
exported.drawn = async () => {
  await document.fonts.ready;
  if (window.length) await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return true;
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
