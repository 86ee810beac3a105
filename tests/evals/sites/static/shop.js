// The shop as customers see it. Pages change without loading; the address says which it is.
import { api, app, debounced, field, h, modal, money, mount, query, select, toast } from "/static/app.js";

const filters = { search: "", category: "", sort: "name", page: 1 };
let cart = [];

function go(path) {
  history.pushState({}, "", path);
  route();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-route]");
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});
addEventListener("popstate", route);

async function put(product, quantity) {
  try {
    cart = await api("/api/cart", { product, quantity });
    toast("Cart updated");
  } catch (refusal) {
    toast(refusal.message, "error");
  }
  showCart();
}

function showCart() {
  const count = cart.reduce((sum, line) => sum + line.quantity, 0);
  mount(document.getElementById("cart"), h("button", { onclick: drawer }, `Cart (${count})`));
}

function drawer() {
  const body = h("div");
  const close = modal("Your cart", body);
  const render = () =>
    mount(
      body,
      cart.length ? null : h("p", "Nothing in it yet."),
      h("ul", cart.map((line) =>
        h("li.row", [
          h("span", `${line.name}, ${money(line.price)} each`),
          h("button", { "aria-label": "Fewer", onclick: () => change(line, line.quantity - 1) }, "−"),
          h("output", String(line.quantity)),
          h("button", { "aria-label": "More", onclick: () => change(line, line.quantity + 1) }, "+"),
          h("button.danger", { onclick: () => change(line, 0) }, "Remove"),
        ])
      )),
      h("button.primary", { disabled: !cart.length, onclick: () => { close(); go("/checkout"); } }, "To checkout"),
    );
  const change = async (line, quantity) => {
    await put(line.id, quantity);
    render();
  };
  render();
}

async function catalogue() {
  const grid = h("div.grid");
  const pager = h("nav.row", { "aria-label": "Pages" });
  let asked = 0;
  const load = async () => {
    const mine = asked += 1;
    mount(grid, ...Array.from({ length: 4 }, () => h("div.card", [h("div.skeleton"), h("div.skeleton")])));
    const { rows, total, page, pages } = await api(`/api/products?${query(filters)}`);
    if (mine !== asked) return;
    mount(grid, rows.map((product) =>
      h("article.card", [
        h("h2", h("a", { href: `/product/${product.id}`, "data-route": "" }, product.name)),
        h("p", `${product.category} · ★ ${product.rating.toFixed(1)}`),
        h("p", h("strong", money(product.price))),
        h("p.hint", product.stock ? `${product.stock} in stock` : "Sold out"),
        h("button", { disabled: !product.stock, onclick: () => put(product.id, (cart.find((line) => line.id === product.id)?.quantity ?? 0) + 1) }, "Add to cart"),
      ])
    ));
    mount(
      pager,
      h("button", { disabled: page <= 1, onclick: () => turn(page - 1) }, "Previous"),
      h("span", `Page ${page} of ${pages}, ${total} products`),
      h("button", { disabled: page >= pages, onclick: () => turn(page + 1) }, "Next"),
    );
  };
  const turn = (page) => {
    filters.page = page;
    load();
  };
  const change = (key) => debounced((event) => {
    filters[key] = event.target.value;
    turn(1);
  }, key === "search" ? 150 : 0);
  mount(
    app,
    h("h1", "Catalogue"),
    h("div.row", [
      field("Search", h("input", { type: "search", value: filters.search, oninput: change("search") })),
      field("Category", select([["", "All"], "Kitchen", "Office", "Outdoor", "Living"], filters.category, { onchange: change("category") })),
      field("Sort by", select([["name", "Name"], ["price", "Price"], ["rating", "Rating"]], filters.sort, { onchange: change("sort") })),
    ]),
    grid,
    pager,
  );
  await load();
}

async function product(id) {
  const one = await api(`/api/products/${id}`);
  document.title = `${one.name} · Quayside Goods`;
  const quantity = h("input", { type: "number", min: 1, value: "1" });
  const facts = [["SKU", one.sku], ["Category", one.category], ["Price", money(one.price)], ["Rating", one.rating.toFixed(1)],
    ["Stock", String(one.stock)], ["Warranty", `${one.warranty} months`], ["Weight", `${one.weight} g`]];
  const wish = h("button", {
    "aria-pressed": String(one.wished),
    onclick: async () => {
      await api("/api/wishes", { product: one.id });
      wish.setAttribute("aria-pressed", "true");
      toast(`${one.name} is on your list`);
    },
  }, "Wish list");
  mount(
    app,
    h("h1", one.name),
    h("p", one.description),
    h("table", h("tbody", facts.map(([key, value]) => h("tr", [h("th", { scope: "row" }, key), h("td", value)])))),
    h("div.row", [field("Quantity", quantity), h("button.primary", { disabled: !one.stock, onclick: () => put(one.id, Number(quantity.value)) }, "Add to cart"), wish]),
    h("h2", "Reviews"),
    h("ul", { id: "reviews" }, one.reviews.map((review) =>
      h("li", [h("strong", review.author), ` · ${"★".repeat(review.stars)}${"☆".repeat(5 - review.stars)} (${review.stars} of 5)`, h("p", review.words)])
    )),
    h("button", { onclick: () => write(one) }, "Write a review"),
  );
}

function write(one) {
  const values = { stars: 0, words: "" };
  const form = h("form");
  const close = modal(`Review of ${one.name}`, form);
  const render = (errors = {}) =>
    mount(
      form,
      h("fieldset", [
        h("legend", "Stars"),
        errors.stars ? h("p.error", { role: "alert" }, errors.stars) : null,
        [1, 2, 3, 4, 5].map((stars) =>
          h("label", [
            h("input", { type: "radio", name: "stars", value: String(stars), checked: values.stars === stars, onchange: () => values.stars = stars }),
            stars === 1 ? "1 star" : `${stars} stars`,
          ])
        ),
      ]),
      field("Your words", h("textarea", { value: values.words, oninput: (event) => values.words = event.target.value }), { error: errors.words }),
      h("button.primary", { type: "submit" }, "Publish"),
    );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await api(`/api/products/${one.id}/reviews`, values);
      close();
      toast("Thank you for your review");
      route();
    } catch (refusal) {
      render(refusal.fields);
    }
  });
  render();
}

function checkout() {
  const values = { name: "", street: "", city: "", country: "", delivery: "Standard", coupon: "" };
  let percent = 0;
  const draw = (errors = {}) => {
    const input = (key, label) =>
      field(label, h("input", { value: values[key], oninput: (event) => values[key] = event.target.value }), { error: errors[key] });
    const sum = cart.reduce((total, line) => total + line.price * line.quantity, 0);
    const code = h("input", { value: values.coupon });
    mount(
      app,
      h("h1", "Checkout"),
      h("ul", cart.map((line) => h("li", `${line.quantity} × ${line.name}: ${money(line.price * line.quantity)}`))),
      h("div.row", [
        field("Coupon", code),
        h("button", {
          onclick: async () => {
            try {
              percent = (await api(`/api/coupons/${encodeURIComponent(code.value)}`)).percent;
              values.coupon = code.value;
              toast(`Coupon applied: ${percent} %`);
            } catch (refusal) {
              toast(refusal.message, "error");
            }
            draw(errors);
          },
        }, "Apply"),
      ]),
      h("p", ["Total: ", h("strong", money(Math.floor(sum * (100 - percent) / 100)))]),
      input("name", "Full name"), input("street", "Street and number"), input("city", "City"),
      field("Country", select([["", "Please choose"], ...COUNTRIES], values.country, { onchange: (event) => values.country = event.target.value }), { error: errors.country }),
      h("fieldset", [h("legend", "Delivery"), ["Standard", "Express", "Pick up"].map((kind) =>
        h("label.row", [h("input", { type: "radio", name: "delivery", value: kind, checked: values.delivery === kind, onchange: () => values.delivery = kind }), kind]))]),
      h("button.primary", {
        onclick: async () => {
          try {
            const { number } = await api("/api/orders", values);
            cart = [];
            showCart();
            mount(app, h("h1", "Thank you for your order"), h("p", ["Your order number is ", h("strong", number)]));
          } catch (refusal) {
            toast(refusal.message, "error");
            draw(refusal.fields);
          }
        },
      }, "Place order"),
    );
  };
  draw();
}

const COUNTRIES = ["Austria", "Belgium", "Denmark", "Estonia", "Finland", "France", "Germany", "Ireland", "Italy", "Norway", "Poland", "Portugal", "Spain", "Sweden"];

function giftCards() {
  const recipient = h("input", { type: "email" });
  const amount = h("input", { type: "number", value: "50" });
  mount(
    app,
    h("h1", "Gift cards"),
    field("Email of who gets it", recipient),
    field("Amount in euros", amount),
    h("button.primary", {
      onclick: async () => {
        await api("/api/gift-cards", { recipient: recipient.value, amount: Number(amount.value) });
        toast("The gift card was sent");
      },
    }, "Buy gift card"),
  );
}

function route() {
  document.title = "Quayside Goods";
  const [, page, id] = location.pathname.split("/");
  if (page === "product") return product(id);
  if (page === "checkout") return checkout();
  if (page === "gift-cards") return giftCards();
  return catalogue();
}

function banner() {
  if (localStorage.getItem("cookies")) return;
  const bar = h("div.banner", { role: "region", "aria-label": "Cookies" }, [
    h("span", "We would like to count visits with cookies."),
    ["Accept", "Only what is needed"].map((words) => h("button", { onclick: () => { localStorage.setItem("cookies", words); bar.remove(); } }, words)),
  ]);
  document.body.append(bar);
}

cart = await api("/api/cart");
showCart();
await route();
banner();
