// A form whose server is slow: a bar turns over the page until there is an answer.
import { api, app, field, h, mount, select, toast } from "/static/app.js";

const values = { title: "", person: "", priority: "normal" };
const set = (key) => (event) => values[key] = event.target.value;
const problem = h("p.error", { role: "alert" });

async function save() {
  const shade = h("div.shade", { "aria-busy": "true" }, h("div.card", "Saving …"));
  document.body.append(shade);
  try {
    await api("/api/tickets", values);
    mount(app, h("h1", "Saved"), h("p", `The ticket ${values.title} is open.`));
  } catch (refusal) {
    problem.textContent = refusal.message;
    toast(refusal.message, "error");
  }
  shade.remove();
}

mount(
  app,
  h("h1", "New ticket"),
  field("Title", h("input", { oninput: set("title") })),
  field("Person", h("input", { oninput: set("person") })),
  field("Priority", select(["low", "normal", "high"], "normal", { onchange: set("priority") })),
  problem,
  h("button.primary", { onclick: save }, "Save ticket"),
);
