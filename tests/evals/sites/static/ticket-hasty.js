// A form that a survey lays itself over, as soon as somebody has typed: it stays until it is answered or sent away.
import { api, app, field, h, mount } from "/static/app.js";

const values = { title: "", person: "", priority: "high" };
let isAsked = false;

function ask() {
  if (isAsked) return;
  isAsked = true;
  const leave = () => shade.remove();
  const answer = (mood) => async () => {
    await api("/api/surveys", { mood });
    leave();
  };
  const shade = h(
    "div.shade",
    { role: "dialog", "aria-label": "Quick survey" },
    h("div.card", [
      h("p", "How are you today?"),
      ["Fine", "So-so"].map((mood) => h("button", { onclick: answer(mood) }, mood)),
      h("button", { onclick: leave }, "Skip"),
    ]),
  );
  document.body.append(shade);
}

async function save() {
  await api("/api/tickets", values);
  mount(app, h("h1", "Saved"), h("p", `The ticket ${values.title} is open.`));
}

const set = (key) => (event) => {
  values[key] = event.target.value;
  setTimeout(ask, 300);
};

mount(
  app,
  h("h1", "New ticket"),
  field("Title", h("input", { oninput: set("title") })),
  field("Person", h("input", { oninput: set("person") })),
  h("button.primary", { onclick: save }, "Save ticket"),
);
