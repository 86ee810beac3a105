// A stay: the place is searched as one types, the days are chosen in a calendar, guests and price by buttons and a slider.
import { api, app, debounced, field, h, mount, toast } from "/static/app.js";

const MONTHS = "January February March April May June July August September October November December".split(" ");
const values = { place: 0, first: "", last: "", guests: 1, most: 100, breakfast: false };

function placeField() {
  const list = h("ul", { role: "listbox", id: "places", "aria-label": "Places", hidden: true });
  const input = h("input", {
    role: "combobox", "aria-expanded": "false", "aria-controls": "places", "aria-autocomplete": "list", autocomplete: "off",
    oninput: debounced(search),
    onblur: () => setTimeout(() => list.hidden = true, 200),
  });
  async function search() {
    const found = input.value ? await api(`/api/places?search=${encodeURIComponent(input.value)}`) : [];
    mount(list, found.map((place) => h("li", { role: "option", "aria-selected": "false", onmousedown: () => choose(place) }, place.name)));
    list.hidden = !found.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
  }
  function choose(place) {
    values.place = place.id;
    input.value = place.name;
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
  }
  return [field("Place", input), list];
}

function daysField() {
  const button = h("button", { "aria-haspopup": "dialog", onclick: open }, "Choose days");
  const popup = h("div.card", { role: "dialog", "aria-label": "Calendar", hidden: true });
  let year = 2027, month = 0;
  function open() {
    popup.hidden = false;
    draw();
  }
  const iso = (day) => `${year}-${String(month + 1).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
  function pick(day) {
    if (!values.first || values.last || iso(day) < values.first) [values.first, values.last] = [iso(day), ""];
    else values.last = iso(day);
    button.textContent = values.last ? `${values.first} to ${values.last}` : `${values.first} to …`;
    popup.hidden = !!values.last;
    draw();
  }
  function turn(by) {
    const moved = year * 12 + month + by;
    [year, month] = [Math.floor(moved / 12), moved % 12];
    draw();
  }
  function draw() {
    const before = (new Date(year, month, 1).getDay() + 6) % 7;
    const count = new Date(year, month + 1, 0).getDate();
    const cells = [...Array(before).fill(0), ...Array.from({ length: count }, (_, index) => index + 1)];
    const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) => cells.slice(week * 7, week * 7 + 7));
    mount(
      popup,
      h("div.row", [
        h("button", { "aria-label": "Previous month", onclick: () => turn(-1) }, "‹"),
        h("strong", { "aria-live": "polite" }, `${MONTHS[month]} ${year}`),
        h("button", { "aria-label": "Next month", onclick: () => turn(1) }, "›"),
      ]),
      h("table", { role: "grid", "aria-label": `${MONTHS[month]} ${year}` }, weeks.map((week) =>
        h("tr", week.map((day) =>
          day
            ? h("td", { role: "gridcell", "aria-selected": String([values.first, values.last].includes(iso(day))) },
              h("button", { "aria-label": `${day} ${MONTHS[month]} ${year}`, onclick: () => pick(day) }, String(day)))
            : h("td")
        ))
      )),
    );
  }
  return [button, popup];
}

function guestsField() {
  const shown = h("output", { "aria-label": "Guests" }, "1");
  const change = (by) => {
    values.guests = Math.min(Math.max(values.guests + by, 1), 9);
    shown.textContent = String(values.guests);
  };
  return h("div.row", [
    "Guests", h("button", { "aria-label": "One guest fewer", onclick: () => change(-1) }, "−"), shown,
    h("button", { "aria-label": "One guest more", onclick: () => change(1) }, "+"),
  ]);
}

const shownPrice = h("output", "€ 100");
mount(
  app,
  h("h1", "Book a stay"),
  placeField(),
  h("div.row", daysField()),
  guestsField(),
  field("Most per night", h("input", {
    type: "range", min: 20, max: 400, step: 10, value: "100",
    oninput: (event) => { values.most = Number(event.target.value); shownPrice.textContent = `€ ${values.most}`; },
  })),
  shownPrice,
  h("label.row", [h("input", { type: "checkbox", role: "switch", onchange: (event) => values.breakfast = event.target.checked }), "Breakfast"]),
  h("button.primary", {
    onclick: async () => {
      try {
        await api("/api/bookings", values);
        mount(app, h("h1", "Booked"), h("p", `From ${values.first} to ${values.last}.`));
      } catch (refusal) {
        toast(`${refusal.message}: ${Object.keys(refusal.fields).join(", ")}`, "error");
      }
    },
  }, "Book"),
);
