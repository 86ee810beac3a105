// Tiles, a chart and a ranking. Every change of the period or region fetches all of it again, and shows grey bars meanwhile.
import { api, app, field, h, modal, mount, query, select, toast } from "/static/app.js";

const PERIODS = ["January", "February", "March", "April", "May", "June"];
const REGIONS = ["North", "East", "South", "West"];
const state = { region: "", period: "January", tab: "Sales" };
const panel = h("section", { role: "tabpanel" });
let asked = 0;

const number = (value) => value.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const tile = (label, value) => h("div.card", { role: "group", "aria-label": label }, [h("p.hint", label), h("strong", value)]);

async function load() {
  const turn = asked += 1;
  panel.setAttribute("aria-busy", "true");
  mount(panel, h("div.grid", [1, 2, 3].map(() => h("div.card", h("div.skeleton")))));
  const figures = await api(`/api/figures?${query(state)}`);
  if (turn !== asked) return;
  panel.removeAttribute("aria-busy");
  mount(panel, state.tab === "Sales" ? sales(figures) : people(figures));
}

const sales = ({ orders, euros, returns }) => [
  h("div.grid", [tile("Orders", number(orders)), tile("Revenue", `€ ${number(euros)}`), tile("Returns", number(returns)),
    tile("Per order", `€ ${(euros / orders).toFixed(2)}`)]),
  chart([["Orders", orders], ["Returns", returns]]),
];

function chart(bars) {
  const most = Math.max(...bars.map(([, value]) => value));
  const place = h("div", { style: "margin-top: 20px" });
  place.innerHTML = `<svg width="600" height="80" role="img" aria-label="Bars of orders and returns">${
    bars.map(([, value], index) => `<rect x="0" y="${index * 36}" height="26" width="${600 * value / most}" fill="#1f5fd1"/>`).join("")
  }</svg>`;
  return place;
}

const people = ({ agents }) =>
  h("table", { "aria-label": "People" }, [
    h("thead", h("tr", [h("th", "Name"), h("th", "Calls")])),
    h("tbody", agents.map((agent) => h("tr", [h("td", agent.name), h("td.num", number(agent.calls))]))),
  ]);

function tabs() {
  return h("div", { role: "tablist", "aria-label": "What is shown" }, ["Sales", "People"].map((name) =>
    h("button", {
      role: "tab", "aria-selected": String(state.tab === name),
      onclick: () => {
        state.tab = name;
        draw();
      },
    }, name)));
}

async function keep() {
  const name = h("input");
  const shared = h("input", { type: "checkbox" });
  const close = modal("Keep this view", h("div", [
    field("Name of the view", name), h("label.row", [shared, "Share it with the team"]),
    h("button.primary", {
      onclick: async () => {
        await api("/api/views", { ...state, name: name.value, shared: shared.checked });
        close();
        toast(`The view ${name.value} was kept`);
      },
    }, "Keep"),
  ]));
}

function draw() {
  const change = (key) => (event) => {
    state[key] = event.target.value;
    load();
  };
  mount(
    app,
    h("h1", "Figures"),
    h("div.row", [
      field("Period", select(PERIODS, state.period, { onchange: change("period") })),
      field("Region", select([["", "All"], ...REGIONS], state.region, { onchange: change("region") })),
      h("button", { onclick: keep }, "Keep view"),
    ]),
    tabs(),
    panel,
  );
  load();
}

draw();
