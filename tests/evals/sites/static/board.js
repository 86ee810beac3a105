// Cards that the browser itself drags (HTML5 drag and drop).
import { api, app, h, mount, toast } from "/static/app.js";

const COLUMNS = ["Ideas", "Next", "Doing", "Done"];
let dragged;

async function draw() {
  const cards = await api("/api/cards");
  mount(app, h("h1", "Board"), h("div.columns", COLUMNS.map((column) =>
    h("section.column", {
      "aria-label": column, role: "group",
      ondragover: (event) => event.preventDefault(),
      ondrop: (event) => { event.preventDefault(); move(dragged, column); },
    }, [
      h("h2", column),
      h("ul", cards.filter((card) => card.column_name === column).map((card) =>
        h("li.card", { draggable: true, ondragstart: () => dragged = card, style: "margin: 8px 0; list-style: none; cursor: grab" }, card.name)
      )),
    ])
  )));
}

async function move(card, column) {
  if (!card || card.column_name === column) return;
  await api(`/api/cards/${card.id}`, { column });
  toast(`${card.name} is in ${column}`);
  draw();
}

draw();
