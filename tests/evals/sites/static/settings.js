// Settings are a page of their own, shown in a frame beside the menu.
import { h, mount } from "/static/app.js";

mount(
  document.getElementById("app"),
  h("h1", "Settings"),
  h("iframe", { src: "/embed/settings", title: "Settings", width: "700", height: "420", style: "border:0" }),
);
