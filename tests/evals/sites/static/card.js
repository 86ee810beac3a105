// The payment service's form, in a frame of another site.
import { api, app, field, h, mount } from "/static/app.js";

const values = { number: "", expiry: "", cvc: "", holder: "" };

function draw(errors = {}) {
  const text = (key, label, attributes = {}) =>
    field(label, h("input", { value: values[key], oninput: (event) => values[key] = event.target.value, ...attributes }), { error: errors[key] });
  mount(
    app,
    text("number", "Card number", { inputmode: "numeric", autocomplete: "cc-number" }),
    text("expiry", "Expires", { placeholder: "MM/YY", autocomplete: "cc-exp" }),
    text("cvc", "Security code", { inputmode: "numeric", autocomplete: "cc-csc" }),
    text("holder", "Name on the card", { autocomplete: "cc-name" }),
    h("button", {
      onclick: async () => {
        try {
          parent.postMessage(await api("/api/cards", values), "*");
        } catch (refusal) {
          draw(refusal.fields);
        }
      },
    }, "Use this card"),
  );
}

draw();
