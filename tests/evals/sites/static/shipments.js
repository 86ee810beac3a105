// Shipments, page by page; the server sorts and filters.
import { api, app, field, h, modal, mount, query, select, toast } from "/static/app.js";

const CITIES = "Aarhus Bergen Cork Dresden Evora Faro Ghent Haarlem Izmir Jena Krakow Lyon Malmo Nantes Oulu Porto Riga Seville".split(" ");
const COLUMNS = [["number", "Number"], ["customer", "Customer"], ["city", "City"], ["weight", "Weight"], ["due", "Due"]];
const state = { city: "", state: "", sort: "number", order: "ascending", page: 1 };
const place = h("section");

let asked = 0;

async function load() {
  const mine = asked += 1;
  const { rows, total, page, pages } = await api(`/api/shipments?${query(state)}`);
  if (mine !== asked) return;
  mount(
    place,
    h("table", { "aria-label": "Shipments" }, [
      h("thead", h("tr", [
        COLUMNS.map(([key, label]) => h("th", { scope: "col", "aria-sort": state.sort === key ? state.order : null }, h("button", { onclick: () => sort(key) }, label))),
        h("th", { scope: "col" }, "State"), h("th", { scope: "col" }, "Comment"),
      ])),
      h("tbody", rows.map((row) =>
        h("tr", [
          h("td", row.number), h("td", row.customer), h("td", row.city), h("td.num", `${row.weight} kg`), h("td", row.due), h("td", row.state),
          h("td", [row.comment, " ", h("button", { onclick: () => comment(row) }, "Comment")]),
        ])
      )),
    ]),
    h("nav.row", { "aria-label": "Pages" }, [
      h("button", { disabled: page <= 1, onclick: () => turn(page - 1) }, "Previous"),
      h("span", `Page ${page} of ${pages}, ${total} shipments`),
      h("button", { disabled: page >= pages, onclick: () => turn(page + 1) }, "Next"),
    ]),
  );
}

function turn(page) {
  state.page = page;
  load();
}

function sort(key) {
  state.order = state.sort === key && state.order === "ascending" ? "descending" : "ascending";
  state.sort = key;
  turn(1);
}

function comment(row) {
  const words = h("textarea", { value: row.comment });
  const close = modal(`Comment on ${row.number}`, h("div", [
    field("Comment", words),
    h("button.primary", {
      onclick: async () => {
        await api(`/api/shipments/${row.id}/comment`, { comment: words.value });
        close();
        toast("The comment was saved");
        load();
      },
    }, "Save comment"),
  ]));
}

const filter = (key) => (event) => {
  state[key] = event.target.value;
  turn(1);
};
mount(
  app,
  h("h1", "Shipments"),
  h("div.row", [
    field("City", select([["", "All"], ...CITIES], "", { onchange: filter("city") })),
    field("State", select([["", "All"], "waiting", "on its way", "delivered"], "", { onchange: filter("state") })),
  ]),
  place,
);
load();
