// An application for a policy in four steps: which fields there are depends on what was chosen before.
import { api, app, field, h, mount, select, toast } from "/static/app.js";

const STEPS = ["Cover", "Person", "Details", "Summary"];
const state = { step: 0, values: { cover: "", start: "", name: "", email: "", birth: "", extras: [] }, errors: {}, busy: false };

const text = (key, label, attributes = {}, more = {}) =>
  field(label, h("input", {
    type: "text",
    value: state.values[key] ?? "",
    oninput: (event) => state.values[key] = event.target.value,
    ...attributes,
  }), { error: state.errors[key], ...more });

const choice = (key, label, options) =>
  field(label, select([["", "Please choose"], ...options], state.values[key] ?? "", {
    onchange: (event) => state.values[key] = event.target.value,
  }), { error: state.errors[key] });

function cover() {
  const options = [["Bicycle", "For one bicycle, against theft"], ["Travel", "For one journey"], ["Home", "For what is in your home"]];
  return [
    h("fieldset", [
      h("legend", "What shall be covered?"),
      state.errors.cover ? h("p.error", { role: "alert" }, state.errors.cover) : null,
      options.map(([name, words]) =>
        h("label.row", [
          h("input", {
            type: "radio", name: "cover", value: name, checked: state.values.cover === name,
            onchange: () => state.values.cover = name,
          }),
          h("span", [h("strong", name), " ", h("span.hint", words)]),
        ])
      ),
    ]),
    text("start", "First day of cover", { type: "date" }),
  ];
}

const person = () => [
  text("name", "Full name", { autocomplete: "name" }),
  text("email", "Email", { type: "email" }),
  text("birth", "Date of birth", { type: "date" }),
];

function details() {
  const extra = (name) =>
    h("label.row", [
      h("input", {
        type: "checkbox", checked: state.values.extras.includes(name),
        onchange: (event) => {
          const others = state.values.extras.filter((each) => each !== name);
          state.values.extras = event.target.checked ? [...others, name] : others;
        },
      }),
      name,
    ]);
  const extras = h("fieldset", [h("legend", "Extras"), extra("Legal protection"), extra("Worldwide cover")]);
  if (state.values.cover === "Bicycle") {
    return [
      text("frame", "Frame number", {}, { hint: "On the frame below the pedals" }),
      text("worth", "Value in euros", { type: "number", min: 1 }),
      choice("lock", "Lock", ["Chain", "Folding", "U-lock"]),
      extras,
    ];
  }
  if (state.values.cover === "Travel") {
    return [text("country", "Where do you go?"), text("days", "Number of days", { type: "number", min: 1 }), extras];
  }
  return [
    text("area", "Floor area in m²", { type: "number", min: 5 }),
    choice("floor", "Floor", ["Ground floor", "First floor", "Higher"]),
    extras,
  ];
}

function agree(event) {
  state.agreed = event.target.checked;
  app.querySelector("button.primary").disabled = !state.agreed;
}

function summary() {
  const { extras, ...rest } = state.values;
  const all = { ...rest, extras: extras.join(", ") || "none" };
  return [
    h("dl", Object.entries(all).filter(([, value]) => value).map(([key, value]) => [h("dt", key), h("dd", value)])),
    h("label.row", [
      h("input", { type: "checkbox", checked: !!state.agreed, onchange: agree }),
      "I have read the terms",
    ]),
  ];
}

async function next() {
  state.busy = true;
  render();
  try {
    await api("/api/check", { step: state.step, values: state.values });
    state.errors = {};
    state.step += 1;
  } catch (refusal) {
    state.errors = refusal.fields;
    toast(refusal.message, "error");
  }
  state.busy = false;
  render();
}

async function send() {
  state.busy = true;
  render();
  try {
    const { number } = await api("/api/policies", state.values);
    mount(app, h("h1", "Thank you"), h("p", ["Your policy has the number ", h("strong", number), "."]));
    document.title = "Policy ordered";
  } catch (refusal) {
    state.errors = refusal.fields;
    state.busy = false;
    toast(refusal.message, "error");
    render();
  }
}

function render() {
  const last = state.step === 3;
  const problem = Object.entries(state.errors).filter(([, words]) => last && words);
  mount(
    app,
    h("h1", "Your policy"),
    h("ol.steps", STEPS.map((name, index) => h("li.badge", { "aria-current": index === state.step ? "step" : null }, name))),
    h("section.card", { "aria-label": STEPS[state.step] }, [cover, person, details, summary][state.step]()),
    problem.length ? h("ul", { role: "alert" }, problem.map(([key, words]) => h("li", `${key}: ${words}`))) : null,
    h("div.row", [
      state.step ? h("button", { onclick: () => { state.step -= 1; render(); } }, "Back") : null,
      last
        ? h("button.primary", { onclick: send, disabled: state.busy || !state.agreed }, "Order policy")
        : h("button.primary", { onclick: next, disabled: state.busy }, "Continue"),
    ]),
  );
}

render();
