// Offers; each opens in a window of its own.
import { api, app, field, h, mount, toast } from "/static/app.js";

const offers = await api("/api/offers");
const name = h("input");
const code = h("input");
mount(
  app,
  h("h1", "Your club"),
  h("ul", offers.map((offer) => h("li", h("a", { href: `/offers/${offer.id}`, target: "_blank", rel: "noopener" }, `Code for ${offer.name}`)))),
  field("Your name", name),
  field("Code", code),
  h("button.primary", {
    onclick: async () => {
      try {
        const { offer } = await api("/api/redeem", { code: code.value, name: name.value });
        toast(`${offer} is yours`);
      } catch (refusal) {
        toast(refusal.message, "error");
      }
    },
  }, "Redeem"),
);
