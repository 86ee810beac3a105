// Appointments: a form with a price, and a list. What stands in double braces is put in by the server, right or with a bug.
import { api, app, field, h, mount, select, toast } from "/static/app.js";

const BASE = 40;
const EXTRAS = [["Blood test", 25], ["X-ray", 60], ["Vaccination", 15]];
const chosen = new Set();
const extras = () => EXTRAS.filter(([name]) => chosen.has(name)).reduce((sum, [, price]) => sum + price, 0);
const has = (words, part) => words.includes(part);

const doctors = await api("/api/doctors");
const name = h("input"), email = h("input", { type: "text" }), phone = h("input", { type: "tel" }), day = h("input", { type: "date" });
const doctor = select(doctors.map((one) => one.name), doctors[0].name);
const total = h("strong", `€ ${BASE}`);
const search = h("input", { type: "search", oninput: () => list() });
const problem = h("ul", { role: "alert" });
const visits = h("ul", { "aria-label": "Appointments" });

mount(document.getElementById("menu"), h("a", { href: {{hours}} }, "Opening hours"));

function priced(event, extra) {
  event.target.checked ? chosen.add(extra) : chosen.delete(extra);
  total.textContent = `€ ${{{total}}}`;
}

async function list() {
  const term = search.value;
  const all = await api("/api/appointments");
  mount(visits, all.filter((visit) => {{search}}).map((visit) =>
    h("li.row", [
      h("strong", visit.name), h("span", `${visit.day}, ${visit.doctor}, ${visit.phone}`),
      h("button.danger", { onclick: () => cancel(visit) }, "Cancel"),
    ])
  ));
}

async function cancel(visit) {
  {{cancel}};
  toast(`The appointment of ${visit.name} is cancelled`);
  list();
}

async function book() {
  try {
    await api("/api/appointments", { name: name.value, email: email.value, phone: phone.value, day: day.value, doctor: doctor.value });
    mount(problem);
    toast(`Booked for ${name.value}`);
    list();
  } catch (refusal) {
    mount(problem, Object.entries(refusal.fields).map(([key, words]) => h("li", `${key}: ${words}`)));
  }
}

mount(
  app,
  h("h1", "Make an appointment"),
  h("div.row", doctors.map((doctor) => h("figure", [h("img", { src: {{picture}}, alt: doctor.name, width: 40, height: 40 }), h("figcaption", doctor.name)]))),
  field("Name", name),
  {{label}},
  field("Phone", phone),
  field("Day", day),
  field("Doctor", doctor),
  h("fieldset", [h("legend", `A visit costs € ${BASE}. With it:`), EXTRAS.map(([extra, price]) =>
    h("label.row", [h("input", { type: "checkbox", onchange: (event) => priced(event, extra) }), `${extra} (€ ${price})`]))]),
  h("p", ["Total: ", total]),
  problem,
  h("button.primary", { onclick: book }, "Book"),
  h("h2", "Appointments"),
  field("Search by name", search),
  visits,
);
list();
