/**
 * Return the article of the page by Readability: { title, author, date, site, markup, text, cut }; null for none, or one of fewer than
 * `least` characters.
 */
export function findArticle({ least, most }) {
  /** @type {any} */
  const world = globalThis;
  const { Readability, __gbrowse: { reader } } = world;
  const MOST_DEPTH = 60; // of the markup: whoever reads it may do so by recursion
  const SKIPPED = /^(?:style|template|datalist|input|select|textarea|canvas|object|embed|iframe|noscript)$/;
  const BLOCKS =
    /^(?:address|article|aside|blockquote|dd|div|dl|dt|figcaption|figure|footer|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tr|ul)$/;
  const KEPT = /^(?:h[1-6]|p|ul|ol|li|blockquote|pre|table|tr|td|th|code|hr|br|strong|em|dl|dt|dd)$/;
  const SAME = new Map([['b', 'strong'], ['i', 'em']]);
  const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  const escaped = (text) => text.replace(/[&<>"]/g, (letter) => ESCAPES[letter]);
  const safeAddress = (address) => /^(?:https?|mailto|tel|file):/.test(String(address)) ? String(address) : '';
  /** Forms and images of a page can hide the document's own properties, not those of prototypes. */
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
    if (body) copyElement(body, copy.body, { sight: reader.SEEN, suspects: reader.suspectsOf(reader.treeOf(body)) });
    for (const formula of copy.querySelectorAll('math')) forgetNamesAround(formula);
    return copy;
  }

  /** Remove the classes of elements that hold a formula and nothing else: some are called menus, which are no content. */
  function forgetNamesAround(formula) {
    const words = formula.textContent.trim();
    for (let at = formula.parentElement; words && at?.textContent.trim() === words; at = at.parentElement)
      at.removeAttribute('class');
  }

  /** Copy the visible content of an element into another one. Return false if nobody can see the element. */
  function copyElement(element, into, { sight, suspects }) {
    const style = getComputedStyle(element), tag = element.localName;
    if (style.display === 'none' || reader.laysNothingOut(style)) return false;
    const now = reader.sightOf(element, { name: tag }, false, sight, suspects);
    const isVisible = now === reader.SEEN && style.visibility === 'visible';
    const children = [...reader.shownChildren(element)];
    const inner = element.shadowRoot || tag === 'slot'
      ? reader.suspectsOf(reader.treeOf(children[0] ?? element))
      : suspects;
    for (const child of children) {
      if (child.nodeType === 3 && isVisible) into.append(child.data);
      if (child.nodeType !== 1 || child.localName === 'script' || SKIPPED.test(child.localName) || !reader.mayRead())
        continue;
      const twin = into.ownerDocument.importNode(child, false);
      twin.removeAttribute('style'); // what it hides is not here; it may hide what is revealed by a sheet
      twin.removeAttribute('aria-hidden'); // people see it, such as formulas with another text for screen readers
      if (child.localName === 'a') twin.setAttribute('href', safeAddress(child.href));
      if (child.localName === 'img') twin.setAttribute('src', safeAddress(child.currentSrc || child.src));
      if (copyElement(child, twin, { sight: now, suspects: inner })) into.append(twin);
    }
    return true;
  }

  const out = { markup: '', text: '', words: 0, linked: 0 };

  const dataTables = new Map();
  /** Whether a part of a table is one of columns, and not of a way to place things: a cell has one paragraph at most. */
  const isDataTablePart = (part) => {
    const table = part.closest('table');
    if (!dataTables.has(table)) {
      const others = 'table,ul,ol,blockquote,pre,h1,h2,h3,h4,h5,h6,p ~ p,p ~ div,div ~ p,div ~ div';
      dataTables.set(table, table !== null && table.querySelector(others) === null);
    }
    return dataTables.get(table);
  };
  /** Return the tag in which an element is written; "" for none. */
  const articleTag = (tag, element, isCell) => {
    if (/^(?:table|tr|t[dh])$/.test(tag) && !isDataTablePart(element)) return 'div';
    if (isCell && BLOCKS.test(tag)) return '';
    return KEPT.test(tag) ? tag : BLOCKS.test(tag) ? 'div' : '';
  };

  /** Write an element of the article as markup, and as text with a line for each block and each row of a table. */
  function write(element, depth, at) {
    const tag = SAME.get(element.localName) ?? element.localName;
    const isBlock = BLOCKS.test(tag) && !at.isCell;
    const address = tag === 'a' && !at.isLinked ? safeAddress(element.getAttribute('href')) : '';
    const name = depth > MOST_DEPTH ? '' : address ? 'a' : articleTag(tag, element, at.isCell);
    if (isBlock || tag === 'br' && !at.isCell) endLine();
    if (tag === 'img') return writeImage(element);
    if (name) out.markup += address ? `<a href="${escaped(address)}">` : `<${name}>`;
    const inside = {
      isLinked: at.isLinked || address !== '',
      isPre: at.isPre || tag === 'pre',
      isCell: at.isCell || /^t[dh]$/.test(name),
    };
    for (const child of element.childNodes) {
      if (child.nodeType === 3) writeText(child.data, inside);
      else if (child.nodeType === 1) write(child, depth + 1, inside);
    }
    if (name && !/^(?:br|hr)$/.test(name)) out.markup += `</${name}>`;
    if (/^t[dh]$/.test(tag) && element.nextElementSibling) out.text = `${out.text.replace(/ +$/, '')}\t`;
    if (isBlock) endLine();
    if (!at.isCell && /^(?:p|h[1-6]|table|ul|ol|pre|blockquote|figure)$/.test(tag))
      out.text = out.text && `${out.text.trimEnd()}\n\n`;
  }

  /** End the line of the text, if it has any words. */
  const endLine = () => out.text = out.text && !out.text.endsWith('\n') ? `${out.text.trimEnd()}\n` : out.text;

  /** Write a text as markup and as text, and count its letters. */
  function writeText(data, { isLinked, isPre }) {
    const words = isPre ? data : data.replace(/\s+/g, ' ');
    out.markup += escaped(words);
    out.text += isPre || !/(?:^|\s)$/.test(out.text) ? words : words.trimStart();
    out.words += words.trim().length;
    out.linked += isLinked ? words.trim().length : 0;
  }

  /** Write an image that has an alternative text. */
  function writeImage(element) {
    const alt = (element.getAttribute('alt') ?? '').trim(), address = safeAddress(element.getAttribute('src'));
    if (alt && address) out.markup += `<img alt="${escaped(alt)}" src="${escaped(address)}">`;
  }

  const copy = copyPage();
  const cut = reader.readOfMore();
  const found = new Readability(copy, { serializer: (element) => element, maxElemsToParse: most }).parse();
  if (!found?.content) return null;
  write(found.content, 0, { isLinked: false, isPre: false, isCell: false });
  if (out.words - out.linked < least) return null;
  /** Return a fact of the article as one short line. */
  const cleanFact = (words) => String(words ?? '').replace(/\s+/g, ' ').trim().slice(0, 500);
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
