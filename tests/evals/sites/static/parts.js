// Thousands of rows in a list that only has those in view: the rest is fetched as one scrolls.
import { api, app, h, mount, toast } from "/static/app.js";

const HEIGHT = 36, SPARE = 4;
const rows = new Map();
let total = 0, wanted;

const canvas = h("div", { style: "position: relative" });
const list = h("div.viewport", { role: "grid", "aria-label": "Parts", tabindex: "0" }, canvas);
mount(app, h("h1", "Parts"), h("p.hint", "Sorted by name. Scroll to see more."), list);

async function fetchRows(start, count) {
  const answer = await api(`/api/parts?start=${start}&count=${count}`);
  total = answer.total;
  answer.rows.forEach((row, index) => rows.set(start + index, row));
}

async function render() {
  const first = Math.max(Math.floor(list.scrollTop / HEIGHT) - SPARE, 0);
  const count = Math.ceil(list.clientHeight / HEIGHT) + 2 * SPARE;
  const turn = wanted = `${first}`;
  if (Array.from({ length: count }, (_, index) => first + index).some((index) => (index < total || !total) && !rows.has(index))) {
    await fetchRows(first, count);
    if (turn !== wanted) return;
  }
  canvas.style.height = `${total * HEIGHT}px`;
  list.setAttribute("aria-rowcount", String(total));
  mount(canvas, Array.from({ length: count }, (_, index) => first + index).filter((index) => rows.has(index)).map((index) => {
    const row = rows.get(index);
    return h("div.row", { role: "row", "aria-rowindex": String(index + 1), style: `position: absolute; top: ${index * HEIGHT}px; height: ${HEIGHT}px; margin: 0` }, [
      h("span", { role: "gridcell" }, row.name), h("span", { role: "gridcell" }, `Shelf ${row.shelf}`),
      h("span", { role: "gridcell" }, h("button", {
        "aria-pressed": String(!!row.starred),
        onclick: async () => {
          rows.set(index, await api(`/api/parts/${row.id}/star`, {}));
          toast(`${row.name} is ${rows.get(index).starred ? "starred" : "not starred any more"}`);
          render();
        },
      }, `Star ${row.name}`)),
    ]);
  }));
}

let frame;
list.addEventListener("scroll", () => {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(render);
});
render();
