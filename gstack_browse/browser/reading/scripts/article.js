/**
 * Return the main article of the page by Readability: { title, author, date, site, markup, text, cut: see `elementsReadBeforeLimit` };
 * null if there is none. `minCharacters`: least length of its text outside of links; `maxElements`: larger pages are not read.
 */
export function findArticle({ minCharacters, maxElements }) {
  const Readability = globalThis.Readability, reader = globalThis.__gbrowse.reader;
  const { escapeMarkup, safeAddress } = reader;
  const MAX_DEPTH = 60; // the parser of the markup may be recursive
  const SKIPPED = /^(?:style|template|datalist|input|select|textarea|canvas|object|embed|iframe|noscript)$/;
  const BLOCKS =
    /^(?:address|article|aside|blockquote|dd|div|dl|dt|figcaption|figure|footer|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tr|ul)$/;
  const KEPT = /^(?:h[1-6]|p|ul|ol|li|blockquote|pre|table|tr|td|th|code|hr|br|strong|em|dl|dt|dd)$/;
  const SAME = new Map([['b', 'strong'], ['i', 'em']]);
  /** Return a property of the document, even if the page has an image or form of that name, which would hide it. */
  const ofDocument = (name) => Reflect.get(Document.prototype, name, document);

  /** Return a copy of the page's visible content in a new document, for Readability, which changes what it reads. */
  function copyPage() {
    const copy = ofDocument('implementation').createHTMLDocument(ofDocument('title'));
    reader.beginReading();
    const heads = 'head > meta, head > link, script[type="application/ld+json"]';
    for (const found of Document.prototype.querySelectorAll.call(document, heads))
      copy.head.append(copy.importNode(found, true));
    const root = ofDocument('documentElement'), body = ofDocument('body');
    copy.documentElement.setAttribute('lang', root?.getAttribute('lang') ?? '');
    if (body)
      copyElement(body, copy.body, {
        visibility: reader.TEXT_VISIBLE,
        suspects: reader.suspectsOf(reader.treeOf(body)),
      });
    for (const formula of copy.querySelectorAll('math')) removeClassesAround(formula);
    return copy;
  }

  /** Remove the classes of elements that contain only this formula: Readability would drop one with "menu" in a class. */
  function removeClassesAround(formula) {
    const text = formula.textContent.trim();
    for (let outer = formula.parentElement; text && outer?.textContent.trim() === text; outer = outer.parentElement)
      outer.removeAttribute('class');
  }

  /**
   * Copy the visible content of an element into another one. Return false if the element is not displayed. `visibility`: that of text in
   * its parent; `suspects`: from `reader.suspectsOf`, for the tree that the element is in.
   */
  function copyElement(element, into, { visibility, suspects }) {
    const style = getComputedStyle(element), tag = element.localName;
    if (style.display === 'none' || reader.laysOutNoText(style)) return false;
    const now = reader.textVisibilityInside(element, { name: tag }, false, visibility, suspects);
    const isVisible = now === reader.TEXT_VISIBLE && style.visibility === 'visible';
    const children = [...reader.shownChildren(element)];
    const inner = element.shadowRoot || tag === 'slot'
      ? reader.suspectsOf(reader.treeOf(children[0] ?? element))
      : suspects;
    for (const child of children) {
      if (child.nodeType === 3 && isVisible) into.append(child.data);
      if (child.nodeType !== 1 || child.localName === 'script' || SKIPPED.test(child.localName) || !reader.mayRead())
        continue;
      const twin = into.ownerDocument.importNode(child, false);
      twin.removeAttribute('style'); // Readability would drop elements that it seems to hide
      twin.removeAttribute('aria-hidden'); // visible all the same, as formulas with another text for screen readers
      if (child.localName === 'a') twin.setAttribute('href', safeAddress(reader.linkAddressOf(child)));
      if (child.localName === 'img') twin.setAttribute('src', safeAddress(child.currentSrc || child.src));
      if (copyElement(child, twin, { visibility: now, suspects: inner })) into.append(twin);
    }
    return true;
  }

  // The output of `write`. `characters`: of all text. `linked`: characters of text in links.
  const out = { markup: '', text: '', characters: 0, linked: 0 };

  const dataTables = new Map();
  /**
   * Return whether a table, row or cell is of a table with data, not of one for layout: its cells have one paragraph at most.
   */
  const isDataTablePart = (part) => {
    const table = part.closest('table');
    if (!dataTables.has(table)) {
      const others = 'table,ul,ol,blockquote,pre,h1,h2,h3,h4,h5,h6,p ~ p,p ~ div,div ~ p,div ~ div';
      dataTables.set(table, table !== null && table.querySelector(others) === null);
    }
    return dataTables.get(table);
  };
  /**
   * Return the tag to write for an element: h2 → "h2", section → "div"; "" to write only its content. `tag`: the element's own, or a
   * simpler one (`strong` for `b`).
   */
  const articleTag = (tag, element, isCell) => {
    if (/^(?:table|tr|t[dh])$/.test(tag) && !isDataTablePart(element)) return 'div';
    if (isCell && BLOCKS.test(tag)) return '';
    return KEPT.test(tag) ? tag : BLOCKS.test(tag) ? 'div' : '';
  };

  /**
   * Append an element of the article to `out`: as markup, and as text with a line for each block and table row. `context`: whether it is
   * in a link, in `<pre>`, in a table cell.
   */
  function writeElement(element, depth, context) {
    const tag = SAME.get(element.localName) ?? element.localName;
    const isBlock = BLOCKS.test(tag) && !context.isCell;
    const address = tag === 'a' && !context.isLinked ? safeAddress(element.getAttribute('href')) : '';
    const name = depth > MAX_DEPTH ? '' : address ? 'a' : articleTag(tag, element, context.isCell);
    if (isBlock || tag === 'br' && !context.isCell) endLine();
    if (tag === 'img') return writeImage(element);
    if (name) out.markup += address ? `<a href="${escapeMarkup(address)}">` : `<${name}>`;
    const inside = {
      isLinked: context.isLinked || address !== '',
      isPre: context.isPre || tag === 'pre',
      isCell: context.isCell || /^t[dh]$/.test(name),
    };
    for (const child of element.childNodes) {
      if (child.nodeType === 3) writeText(child.data, inside);
      else if (child.nodeType === 1) writeElement(child, depth + 1, inside);
    }
    if (name && !/^(?:br|hr)$/.test(name)) out.markup += `</${name}>`;
    if (/^t[dh]$/.test(tag) && element.nextElementSibling) out.text = `${out.text.replace(/ +$/, '')}\t`;
    if (isBlock) endLine();
    if (!context.isCell && /^(?:p|h[1-6]|table|ul|ol|pre|blockquote|figure)$/.test(tag))
      out.text = out.text && `${out.text.trimEnd()}\n\n`;
  }

  /** End the last line of the article's text in `out`, if there is any. */
  const endLine = () => out.text = out.text && !out.text.endsWith('\n') ? `${out.text.trimEnd()}\n` : out.text;

  /** Append a text of the article to `out`, as markup and as plain text, and count its characters. */
  function writeText(data, { isLinked, isPre }) {
    const text = isPre ? data : data.replace(/\s+/g, ' ');
    out.markup += escapeMarkup(text);
    out.text += isPre || !/(?:^|\s)$/.test(out.text) ? text : text.trimStart();
    out.characters += text.trim().length;
    out.linked += isLinked ? text.trim().length : 0;
  }

  /** Append an image of the article to the markup in `out`, if it has an alternative text. */
  function writeImage(element) {
    const alt = (element.getAttribute('alt') ?? '').trim(), address = safeAddress(element.getAttribute('src'));
    if (alt && address) out.markup += `<img alt="${escapeMarkup(alt)}" src="${escapeMarkup(address)}">`;
  }

  const copy = copyPage();
  const cut = reader.elementsReadBeforeLimit();
  const found = new Readability(copy, { serializer: (element) => element, maxElemsToParse: maxElements }).parse();
  if (!found?.content) return null;
  writeElement(found.content, 0, { isLinked: false, isPre: false, isCell: false });
  if (out.characters - out.linked < minCharacters) return null;
  /** Return a fact about the article (title, author …) as one line of at most 500 characters. */
  const cleanFact = (text) => String(text ?? '').replace(/\s+/g, ' ').trim().slice(0, 500);
  return {
    title: cleanFact(found.title),
    author: cleanFact(found.byline),
    date: cleanFact(found.publishedTime),
    site: cleanFact(found.siteName),
    markup: out.markup,
    text: out.text.trim(),
    cut,
  };
}
