// The shop's back office: orders and products in tables that are loaded page by page.
import { api, app, debounced, field, h, modal, money, mount, query, select, toast } from "/static/app.js";

function pager(state, { page, pages, total }, load) {
  const turn = (to) => {
    state.page = to;
    load();
  };
  return h("nav.row", { "aria-label": "Pages" }, [
    h("button", { disabled: page <= 1, onclick: () => turn(page - 1) }, "Previous"),
    h("span", `Page ${page} of ${pages}, ${total} in all`),
    h("button", { disabled: page >= pages, onclick: () => turn(page + 1) }, "Next"),
  ]);
}

function orders() {
  const state = { search: "", state: "", page: 1 };
  const place = h("section", { "aria-busy": "true" });
  const load = async () => {
    const answer = await api(`/api/admin/orders?${query(state)}`);
    mount(
      place,
      h("table", { "aria-label": "Orders" }, [
        h("thead", h("tr", ["Number", "Customer", "City", "Total", "State", ""].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", answer.rows.map((order) =>
          h("tr", [
            h("td", order.number), h("td", order.customer), h("td", order.city), h("td.num", money(order.total)),
            h("td", h("span.badge", order.state)),
            h("td", h("button", { "aria-haspopup": "menu", onclick: (event) => menu(event.currentTarget, order) }, "Actions")),
          ])
        )),
      ]),
      pager(state, answer, load),
    );
    place.removeAttribute("aria-busy");
  };
  function menu(button, order) {
    document.querySelector("[role=menu]")?.remove();
    const item = (label, run) => h("button", { role: "menuitem", onclick: () => { list.remove(); run(); } }, label);
    const list = h("div.card", { role: "menu", "aria-label": `Actions for ${order.number}` }, [
      ["shipped", "cancelled", "paid"].map((to) => item(`Mark as ${to}`, async () => {
        await api(`/api/admin/orders/${order.id}/state`, { state: to });
        toast(`${order.number} is ${to}`);
        load();
      })),
      item("Refund …", () => refund(order, load)),
    ]);
    button.after(list);
    list.firstChild.focus();
  }
  const change = (key) => debounced((event) => {
    state[key] = event.target.value;
    state.page = 1;
    load();
  });
  mount(
    app,
    h("h1", "Orders"),
    h("div.row", [
      field("Search", h("input", { type: "search", oninput: change("search") })),
      field("State", select([["", "All"], "paid", "open", "shipped", "cancelled"], "", { onchange: change("state") })),
    ]),
    place,
  );
  load();
}

function refund(order) {
  const values = { amount: "", reason: "", note: "" };
  const form = h("form");
  const close = modal(`Refund ${order.number}`, form);
  const set = (key) => (event) => values[key] = event.target.value;
  const render = (errors = {}) =>
    mount(
      form,
      h("p", `${order.customer} has paid ${money(order.total)}.`),
      field("Amount in euros", h("input", { type: "number", step: "0.01", value: values.amount, oninput: set("amount") }), { error: errors.amount }),
      field("Reason", select([["", "Please choose"], "Damaged", "Late", "Not as described", "Other"], values.reason, { onchange: set("reason") }), { error: errors.reason }),
      field("Note", h("textarea", { value: values.note, oninput: set("note") })),
      h("button.primary", { type: "submit" }, "Refund"),
    );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!confirm(`Refund ${values.amount} euros to ${order.customer}?`)) return;
    try {
      await api(`/api/admin/orders/${order.id}/refunds`, values);
      close();
      toast(`${order.number} was refunded`);
    } catch (refusal) {
      toast(refusal.message, "error");
      render(refusal.fields);
    }
  });
  render();
}

function products() {
  const state = { page: 1 };
  const chosen = new Set();
  const place = h("section");
  const remove = h("button.danger", { disabled: true, onclick: () => deletion() }, "Delete chosen");
  const count = () => {
    remove.disabled = !chosen.size;
    remove.textContent = chosen.size ? `Delete chosen (${chosen.size})` : "Delete chosen";
  };
  const load = async () => {
    const answer = await api(`/api/admin/products?${query(state)}`);
    mount(
      place,
      h("table", { "aria-label": "Products" }, [
        h("thead", h("tr", ["", "Name", "SKU", "State", "Stock", "Price"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", answer.rows.map((product) => row(product))),
      ]),
      pager(state, answer, load),
    );
  };
  const row = (product) => {
    const price = h("td.num");
    const show = () => mount(price, h("button", { "aria-label": `Price of ${product.name}`, onclick: edit }, money(product.price)));
    const edit = () => {
      const input = h("input", { type: "number", step: "0.01", "aria-label": `New price of ${product.name}`, value: (product.price / 100).toFixed(2) });
      input.addEventListener("keydown", async (event) => {
        if (event.key === "Escape") show();
        if (event.key !== "Enter") return;
        product.price = (await api(`/api/admin/products/${product.id}/price`, { price: input.value })).price;
        toast(`${product.name} costs ${money(product.price)}`);
        show();
      });
      mount(price, input);
      input.select();
    };
    show();
    const box = h("input", {
      type: "checkbox", "aria-label": `Choose ${product.name}`, checked: chosen.has(product.id),
      onchange: () => {
        box.checked ? chosen.add(product.id) : chosen.delete(product.id);
        count();
      },
    });
    return h("tr", [h("td", box), h("td", product.name), h("td", product.sku), h("td", h("span.badge", product.state)), h("td.num", String(product.stock)), price]);
  };
  function deletion() {
    const close = modal("Delete products", h("div", [
      h("p", `${chosen.size} products will be gone for good.`),
      h("div.row", [
        h("button", { onclick: () => close() }, "Keep"),
        h("button.danger", {
          onclick: async () => {
            const { deleted } = await api("/api/admin/products/delete", { ids: [...chosen] });
            chosen.clear();
            count();
            close();
            toast(`${deleted} products deleted`);
            load();
          },
        }, "Delete"),
      ]),
    ]));
  }
  mount(app, h("h1", "Products"), h("div.row", [h("button.primary", { onclick: () => create(load) }, "New product"), remove]), place);
  load();
}

function create(done) {
  const values = { name: "", sku: "", category: "", price: "", stock: "", warranty: "", description: "", live: false };
  const form = h("form");
  const close = modal("New product", form);
  const text = (key, label, errors, attributes = {}) =>
    field(label, h("input", { value: values[key], oninput: (event) => values[key] = event.target.value, ...attributes }), { error: errors[key] });
  const render = (errors = {}) =>
    mount(
      form,
      text("name", "Name", errors), text("sku", "SKU", errors),
      field("Category", select([["", "Please choose"], "Kitchen", "Office", "Outdoor", "Living"], values.category, { onchange: (event) => values.category = event.target.value }), { error: errors.category }),
      text("price", "Price in euros", errors, { type: "number", step: "0.01" }), text("stock", "Stock", errors, { type: "number" }),
      text("warranty", "Warranty in months", errors, { type: "number" }),
      field("Description", h("textarea", { value: values.description, oninput: (event) => values.description = event.target.value })),
      h("label.row", [h("input", { type: "checkbox", role: "switch", checked: values.live, onchange: (event) => values.live = event.target.checked }), "Show in the shop"]),
      h("button.primary", { type: "submit" }, "Save product"),
    );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await api("/api/admin/products", values);
      close();
      toast(`${values.name} was saved`);
      done();
    } catch (refusal) {
      toast(refusal.message, "error");
      render(refusal.fields);
    }
  });
  render();
}

location.pathname.endsWith("/products") ? products() : orders();
