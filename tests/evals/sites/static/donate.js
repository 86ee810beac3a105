// A donation. The card is asked for in a frame of the payment service, which answers with a token.
import { api, app, field, h, mount, select, toast } from "/static/app.js";

const payment = "{{other}}";
let token;
const causes = await api("/api/causes");
const amount = h("input", { type: "number", min: 1 });
const cause = select(causes, causes[0]);
const state = h("p", { "aria-live": "polite" }, "No card yet");
const give = h("button.primary", {
  disabled: true,
  onclick: async () => {
    await api("/api/donations", { token, amount: amount.value, cause: cause.value });
    mount(app, h("h1", "Thank you"), h("p", `You gave € ${amount.value} to ${cause.value}.`));
  },
}, "Give");

addEventListener("message", (event) => {
  if (event.origin !== payment) return;
  token = event.data.token;
  state.textContent = `Card ending in ${event.data.last4}`;
  give.disabled = false;
  toast("Your card was accepted");
});

mount(
  app,
  h("h1", "Give"),
  field("Amount in euros", amount),
  field("Cause", cause),
  h("iframe", { src: `${payment}/card`, title: "Card", width: "460", height: "340", style: "border:0" }),
  state,
  give,
);
