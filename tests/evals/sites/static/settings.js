// Settings are a page of their own, shown in a frame beside the menu.
import { app, h, mount } from "/static/app.js";

mount(
  app,
  h("h1", "Settings"),
  h("iframe", { src: "/embed/settings", title: "Settings", width: "700", height: "420", style: "border:0" }),
);
