// The form in the frame.
import { api, app, field, h, mount, select, toast } from "/static/app.js";

const values = await api("/api/settings");
const set = (key) => (event) => values[key] = event.target.value;
mount(
  app,
  field("Theme", select(["light", "dark", "system"], values.theme, { onchange: set("theme") })),
  field("Digest", select(["daily", "weekly", "never"], values.digest, { onchange: set("digest") })),
  h("label.row", [
    h("input", { type: "checkbox", role: "switch", checked: values.tips === "on", onchange: (event) => values.tips = event.target.checked ? "on" : "off" }),
    "Show tips",
  ]),
  field("Signature", h("textarea", { value: values.signature, oninput: set("signature") })),
  h("button.primary", {
    onclick: async () => {
      await api("/api/settings", values);
      toast("Settings saved");
    },
  }, "Save"),
);
