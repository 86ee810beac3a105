// The bank: sign in, see the account, change it. A session that has ended is asked for in a window, and what was begun goes on.
import { api, app, field, h, modal, mount, select, toast } from "/static/app.js";

function signIn(done) {
  const email = h("input", { type: "email", autocomplete: "username" });
  const password = h("input", { type: "password", autocomplete: "current-password" });
  const problem = h("p.error", { role: "alert" });
  const form = h("form", {
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        const { next } = await api("/api/login", { email: email.value, password: password.value });
        next === "code" ? mount(form, ...code(done)) : done();
      } catch (refusal) {
        problem.textContent = refusal.message;
      }
    },
  }, [field("Email", email), field("Password", password), problem, h("button.primary", { type: "submit" }, "Sign in")]);
  return form;
}

function code(done) {
  const input = h("input", { inputmode: "numeric", autocomplete: "one-time-code", maxlength: "7" });
  const problem = h("p.error", { role: "alert" });
  const verify = async (event) => {
    event.preventDefault();
    try {
      await api("/api/code", { code: input.value });
      done();
    } catch (refusal) {
      problem.textContent = `${refusal.message}. ${refusal.fields.code ?? ""}`;
    }
  };
  return [
    h("p", "Please type the six digits that your authenticator app shows now."),
    field("One-time code", input),
    problem,
    h("button.primary", { type: "submit", onclick: verify }, "Verify"),
  ];
}

/** Do something that needs a session; ask for one if it has ended, then do it again. */
async function signedIn(run) {
  try {
    return await run();
  } catch (refusal) {
    if (refusal.status !== 401) throw refusal;
    return new Promise((resolve, reject) => {
      const close = modal("Your session has ended", signIn(() => {
        close();
        run().then(resolve, reject);
      }));
    });
  }
}

function settings(account) {
  const values = { phone: account.phone, street: account.street, language: account.language };
  const set = (key) => (event) => values[key] = event.target.value;
  mount(
    app,
    h("h1", "Settings"),
    field("Phone", h("input", { type: "tel", value: values.phone, oninput: set("phone") })),
    field("Street and number", h("input", { value: values.street, oninput: set("street") })),
    field("Language", select(["English", "Deutsch", "Français", "Polski"], values.language, { onchange: set("language") })),
    h("button.primary", {
      onclick: async () => {
        await signedIn(() => api("/api/account", values));
        toast("Your settings are saved");
      },
    }, "Save settings"),
  );
}

function payments(account) {
  const values = { payee: "", iban: "", amount: "", purpose: "" };
  const draw = (errors = {}) => {
    const text = (key, label, attributes = {}) =>
      field(label, h("input", { value: values[key], oninput: (event) => values[key] = event.target.value, ...attributes }), { error: errors[key] });
    mount(
      app,
      h("h1", "Payments"),
      h("ul", account.payments.map((payment) => h("li", `${payment.payee}: € ${(payment.cents / 100).toFixed(2)}`))),
      text("payee", "Payee"), text("iban", "IBAN"), text("amount", "Amount in euros", { type: "number", step: "0.01" }), text("purpose", "Purpose"),
      h("button.primary", {
        onclick: async () => {
          try {
            await signedIn(() => api("/api/payments", values));
            toast("The payment was made");
            account.payments.push({ payee: values.payee, cents: Math.round(values.amount * 100) });
            Object.assign(values, { payee: "", iban: "", amount: "", purpose: "" });
            draw();
          } catch (refusal) {
            toast(refusal.message, "error");
            draw(refusal.fields);
          }
        },
      }, "Pay"),
    );
  };
  draw();
}

function overview(account) {
  mount(app, h("h1", `Good day, ${account.name}`), h("p", `You have made ${account.payments.length} payments.`));
}

const pages = { "/settings": settings, "/payments": payments };

async function start() {
  try {
    const account = await api("/api/account");
    mount(
      document.getElementById("menu"),
      [["/account", "Account"], ["/payments", "Payments"], ["/settings", "Settings"]].map(([href, words]) => h("a", { href }, words)),
    );
    (pages[location.pathname] ?? overview)(account);
  } catch {
    mount(app, h("h1", "Sign in"), signIn(start));
  }
}

start();
