// Notebooks. What cannot be taken back is asked about in the browser's own dialogs; the words say what an answer does.
import { api, app, h, mount, toast } from "/static/app.js";

async function render() {
  const all = await api("/api/notebooks");
  mount(
    app,
    h("h1", "Notebooks"),
    h("ul", all.map((book) =>
      h("li.row", [
        h("strong", book.name), h("span.badge", `${book.pages} pages`), book.state === "archived" ? h("span.badge", "archived") : null,
        h("button", { onclick: () => rename(book) }, "Rename"),
        h("button", { onclick: () => archive(book) }, "Archive"),
        h("button.danger", { onclick: () => remove(book) }, "Delete"),
      ])
    )),
  );
}

async function rename(book) {
  const name = prompt("The new name of the notebook", book.name);
  if (!name || name === book.name) return;
  await api(`/api/notebooks/${book.id}/name`, { name });
  toast(`Renamed to ${name}`);
  render();
}

async function archive(book) {
  if (!confirm(`Archive ${book.name}?`)) return;
  await api(`/api/notebooks/${book.id}/archive`, {});
  toast(`${book.name} is archived`);
  render();
}

async function remove(book) {
  if (book.keeps && confirm(`${book.name} has pages that others read. Keep it for them, and archive it only?`)) {
    await api(`/api/notebooks/${book.id}/archive`, {});
    toast(`${book.name} is archived`);
  } else {
    await api(`/api/notebooks/${book.id}/delete`, {});
    alert(`${book.name} was deleted`);
  }
  render();
}

render();
