// A page without anything to do.
import { app, h, mount } from "/static/app.js";

mount(app, h("h1", "Opening hours"), h("p", "Monday to Friday, 8 to 17."), h("a", { href: "/" }, "Back"));
