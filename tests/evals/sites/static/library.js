// The catalogue. What stands in double braces is put in by the server, right or with a bug.
import { api, app, field, h, modal, mount, query, select, toast } from "/static/app.js";

const state = { genre: "", sort: "title" };
const place = h("section");
let page = 1, compact = localStorage.getItem("compact") === "true";

async function load() {
  const answer = await api(`/api/books?${query({{filter}})}`);
  mount(
    place,
    h("p", `${{{count}}} books`),
    h("table", { "aria-label": "Books" }, [
      h("thead", h("tr", ["Title", compact ? null : "Author", "Genre", "Pages", "Copies", ""].filter((name) => name !== null).map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", answer.rows.map((book) =>
        h("tr", [
          h("td", book.title), compact ? null : h("td", book.author), h("td", book.genre), h("td.num", String(book.pages)), h("td.num", String(book.copies)),
          h("td", h("button", { onclick: () => details(book) }, "Details")),
        ])
      )),
    ]),
    h("nav.row", { "aria-label": "Pages" }, [
      h("button", { disabled: page <= 1, onclick: () => turn(page - 1) }, "Previous"),
      h("span", `Page ${page} of ${answer.pages}`),
      h("button", { disabled: page >= answer.pages, onclick: () => turn(page + 1) }, "Next"),
    ]),
  );
}

function turn(to) {
  page = to;
  load();
}

async function details({ id }) {
  try {
    const book = await api(`/api/books/${id}`);
    const copies = h("p", `Copies here: ${book.copies}`);
    modal(book.title, h("div", [
      h("p", `${book.author}, ${book.pages} pages`), copies,
      h("button.primary", {
        onclick: async () => {
          try {
            copies.textContent = `Copies here: ${(await api(`/api/books/${id}/reserve`, {})).copies}`;
            toast("Reserved");
            load();
          } catch (refusal) {
            toast(refusal.message, "error");
          }
        },
      }, "Reserve"),
    ]));
  } catch (refusal) {
    toast(refusal.message, "error");
  }
}

const change = (key) => (event) => {
  state[key] = event.target.value;
  turn(1);
};
mount(
  app,
  h("h1", "Catalogue"),
  h("div.row", [
    field("Genre", select([["", "All"], "History", "Novel", "Science", "Travel"], "", { onchange: change("genre") })),
    field("Sort by", select([["title", "Title"], ["pages", "Pages"]], "title", { onchange: change("sort") })),
    h("label", [h("input", { type: "checkbox", checked: compact, onchange: (event) => { compact = event.target.checked; {{compact}}; load(); } }), " Compact list"]),
  ]),
  place,
);
load();
