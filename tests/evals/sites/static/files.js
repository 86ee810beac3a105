// Receipts that are uploaded, by a button or by dropping them, and reports that are downloaded.
import { api, app, field, h, money, mount, select, toast } from "/static/app.js";

async function receipts() {
  let chosen;
  const list = h("ul", { "aria-label": "Receipts" });
  const name = h("p.hint", { "aria-live": "polite" }, "No file chosen");
  const title = h("input");
  const amount = h("input", { type: "number", step: "0.01" });
  const hidden = h("input", { type: "file", hidden: true, onchange: () => choose(hidden.files[0]) });
  const choose = (file) => {
    chosen = file;
    name.textContent = `Chosen: ${file.name}, ${file.size} bytes`;
  };
  const zone = h("div.card", {
    role: "group", "aria-label": "Drop a receipt here",
    ondragover: (event) => event.preventDefault(),
    ondrop: (event) => {
      event.preventDefault();
      choose(event.dataTransfer.files[0]);
    },
  }, [h("p", "Drop a receipt here, or"), h("button", { onclick: () => hidden.click() }, "Choose file"), hidden, name]);
  const show = async () => {
    const all = await api("/api/receipts");
    mount(list, all.map((receipt) => h("li", `${receipt.title}: ${money(receipt.cents)} (${receipt.name})`)));
  };
  const save = h("button.primary", {
    onclick: async () => {
      const form = new FormData();
      if (chosen) form.append("file", chosen);
      form.append("title", title.value);
      form.append("amount", amount.value);
      save.disabled = true;
      const response = await fetch("/api/receipts", { method: "POST", body: form });
      const answer = await response.json();
      save.disabled = false;
      if (!response.ok) return toast(answer.error, "error");
      toast("The receipt was saved");
      show();
    },
  }, "Save receipt");
  mount(app, h("h1", "Receipts"), zone, field("Title", title), field("Amount in euros", amount), save, list);
  show();
}

function reports() {
  const months = ["January", "February", "March", "April", "May", "June"];
  const month = select(months, "January");
  const progress = h("div", { "aria-live": "polite" });
  const make = async () => {
    const { job } = await api("/api/jobs", { month: month.value });
    const poll = async () => {
      const { percent, url } = await api(`/api/jobs/${job}`);
      if (url) return mount(progress, h("p", "Your export is ready."), h("a", { href: url, download: "" }, "Download export"));
      mount(progress, h("progress", { max: 100, value: percent, "aria-label": "Progress" }), ` ${percent} %`);
      setTimeout(poll, 250);
    };
    poll();
  };
  mount(
    app,
    h("h1", "Reports"),
    h("ul", months.map((each) => h("li.row", [each, h("a", { href: `/reports/${each}.csv` }, `Spendings of ${each}`)]))),
    h("h2", "By person"),
    h("div.row", [field("Month", month), h("button", { onclick: make }, "Make export")]),
    progress,
  );
}

location.pathname === "/reports" ? reports() : receipts();
