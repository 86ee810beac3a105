// An offer: its code is shown on demand.
import { api, app, h, mount } from "/static/app.js";

const offer = await api(`/api/offers/${location.pathname.split("/")[2]}`);
document.title = offer.name;
const place = h("p", { "aria-live": "polite" });
mount(
  app,
  h("h1", offer.name),
  h("button", { onclick: () => mount(place, "Your code is ", h("strong", offer.code)) }, "Show the code"),
  place,
);
