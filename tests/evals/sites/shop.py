"""A shop: catalogue, cart and checkout for customers; orders and products for who runs it."""

from random import Random
from typing import Any

from tests.evals.sites import words
from tests.evals.sites.database import Row
from tests.evals.sites.site import Page, Refused, Request, Site, get, page_of, post, require

CATEGORIES = ("Kitchen", "Office", "Outdoor", "Living")
PER_PAGE = 12
STATES = ("paid", "open", "shipped", "cancelled")
OPINIONS = (
    "Does what it should.",
    "Arrived late, but fine.",
    "Broke after a week.",
    "My favourite.",
    "Too heavy.",
)
REASONS = ("Damaged", "Late", "Not as described", "Other")
MENU = (
    '<nav><a href="/" data-route>Catalogue</a> <a href="/gift-cards" data-route>Gift cards</a></nav>'
    '<span id="cart"></span>'
)
OFFICE = '<nav><a href="/admin/orders">Orders</a> <a href="/admin/products">Products</a></nav>'


class Shop(Site):
    """A shop with one customer, signed in on `/`, and one clerk, on `/admin`."""

    schema = """
    CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, sku TEXT, category TEXT, price INTEGER, stock INTEGER,
        rating REAL, warranty INTEGER, weight INTEGER, description TEXT, state TEXT DEFAULT 'live');
    CREATE TABLE reviews (id INTEGER PRIMARY KEY, product INTEGER, author TEXT, stars INTEGER, words TEXT);
    CREATE TABLE coupons (code TEXT, percent INTEGER);
    CREATE TABLE cart (product INTEGER PRIMARY KEY, quantity INTEGER);
    CREATE TABLE wishes (product INTEGER PRIMARY KEY);
    CREATE TABLE gift_cards (id INTEGER PRIMARY KEY, recipient TEXT, amount INTEGER);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, number TEXT, customer TEXT, street TEXT, city TEXT, country TEXT,
        delivery TEXT, coupon TEXT, total INTEGER, state TEXT);
    CREATE TABLE lines (order_id INTEGER, product INTEGER, quantity INTEGER);
    CREATE TABLE refunds (id INTEGER PRIMARY KEY, order_id INTEGER, amount INTEGER, reason TEXT, note TEXT);
    """
    pages = (
        *(
            Page(path, "shop", "Quayside Goods", beside=MENU)
            for path in ("/", "/product/{id}", "/checkout", "/gift-cards")
        ),
        *(
            Page(path, "admin", "Quayside back office", name="Back office", beside=OFFICE)
            for path in ("/admin", "/admin/{page}")
        ),
    )

    actions = (
        ("/api/wishes", "INSERT OR IGNORE INTO wishes VALUES (:product)"),
        ("/api/gift-cards", "INSERT INTO gift_cards (recipient, amount) VALUES (:recipient, :amount)"),
        ("/api/admin/orders/{id}/state", "UPDATE orders SET state = :state WHERE id = :id"),
    )

    def fill(self, random: Random) -> None:
        for name in words.things(random, 60):
            self.database.insert("products", **_product(random, name))
        for code in dict.fromkeys(words.code(random, 4, 2) for _ in range(3)):
            self.database.insert("coupons", code=code, percent=random.choice((5, 10, 15, 20)))
        self._fill_reviews(random)
        self._fill_orders(random)

    def _fill_reviews(self, random: Random) -> None:
        for product in self.database.column("SELECT id FROM products"):
            for author in words.people(random, random.randint(2, 5)):
                stars, said = random.randint(1, 5), random.choice(OPINIONS)
                self.database.insert("reviews", product=product, author=author, stars=stars, words=said)

    def _fill_orders(self, random: Random) -> None:
        customers = words.people(random, 25)
        products = self.database.rows("SELECT * FROM products")
        for number in random.sample(range(20_000, 90_000), 80):
            product, quantity = random.choice(products), random.randint(1, 4)
            order = self.database.insert(
                "orders",
                number=f"#{number}",
                customer=random.choice(customers),
                street=f"{random.choice(words.LAST)} Street {random.randint(1, 99)}",
                city=random.choice(words.CITIES),
                country=random.choice(words.COUNTRIES),
                delivery="Standard",
                coupon="",
                total=product["price"] * quantity,
                state=random.choice(STATES),
            )
            self.database.insert("lines", order_id=order, product=product["id"], quantity=quantity)

    # The catalogue.

    @get("/api/products")
    def products(self, request: Request) -> Any:
        query = request.query
        order = {"price": "price", "rating": "rating DESC"}.get(query.get("sort", ""), "name")
        chosen = "(? = '' OR category = ?) AND name LIKE ?"
        statement = f"SELECT * FROM products WHERE state = 'live' AND {chosen} ORDER BY {order}, id"
        category, search = query.get("category", ""), f"%{query.get('search', '')}%"
        return page_of(self.database.rows(statement, category, category, search), query, PER_PAGE)

    @get("/api/products/{id}")
    def product(self, request: Request, id: str) -> Any:
        product = self.database.row("SELECT * FROM products WHERE id = ?", id)
        if product is None:
            raise Refused(404, "There is no such product")
        reviews = self.database.rows("SELECT * FROM reviews WHERE product = ? ORDER BY id", id)
        wished = self.database.row("SELECT 1 FROM wishes WHERE product = ?", id) is not None
        return {**product, "reviews": reviews, "wished": wished}

    @post("/api/products/{id}/reviews")
    def review(self, request: Request, id: str) -> None:
        stars, said = int(request.json.get("stars") or 0), str(request.json.get("words", "")).strip()
        missing = {} if stars in range(1, 6) else {"stars": "Choose a number of stars"}
        missing |= {} if said else {"words": "Say something"}
        if missing:
            raise Refused(422, "The review is not complete", **missing)
        self.database.insert("reviews", product=int(id), author="You", stars=stars, words=said)

    # The cart.

    @get("/api/cart")
    def cart(self, request: Request) -> Any:
        return self.database.rows(
            "SELECT id, name, price, quantity FROM cart JOIN products ON id = product ORDER BY name"
        )

    @post("/api/cart")
    def change_cart(self, request: Request) -> Any:
        product, quantity = int(request.json["product"]), int(request.json["quantity"])
        stock = self.database.value("SELECT stock FROM products WHERE id = ?", product)
        if quantity > stock:
            raise Refused(409, f"Only {stock} left")
        self.database.change("DELETE FROM cart WHERE product = ?", product)
        if quantity > 0:
            self.database.insert("cart", product=product, quantity=quantity)
        return self.cart(request)

    @get("/api/coupons/{code}")
    def coupon(self, request: Request, code: str) -> Any:
        row = self.database.row("SELECT * FROM coupons WHERE code = ?", code)
        if row is None:
            raise Refused(404, "This code is not known")
        return row

    @post("/api/orders")
    def order(self, request: Request) -> Any:
        asked, cart = request.json, self.cart(request)
        require(asked, "name", "street", "city", "country", said="Please check what is marked")
        if not cart:
            raise Refused(422, "Your cart is empty")
        percent = self.coupon(request, asked["coupon"])["percent"] if asked.get("coupon") else 0
        total = sum(line["price"] * line["quantity"] for line in cart) * (100 - percent) // 100
        number = f"#{self.database.value('SELECT max(CAST(substr(number, 2) AS INTEGER)) FROM orders') + 17}"
        order = self.database.insert(
            "orders",
            number=number,
            customer=asked["name"],
            **{key: asked[key] for key in ("street", "city", "country")},
            delivery=asked.get("delivery", "Standard"),
            coupon=asked.get("coupon", ""),
            total=total,
            state="paid",
        )
        for line in cart:
            self.database.insert("lines", order_id=order, product=line["id"], quantity=line["quantity"])
        self.database.change("DELETE FROM cart")
        return {"number": number}

    # What clerks do.

    @get("/api/admin/orders")
    def orders(self, request: Request) -> Any:
        state, search = request.query.get("state", ""), f"%{request.query.get('search', '')}%"
        chosen = "(? = '' OR state = ?) AND (customer LIKE ? OR number LIKE ?)"
        rows = self.database.rows(
            f"SELECT * FROM orders WHERE {chosen} ORDER BY number", state, state, search, search
        )
        return page_of(rows, request.query, PER_PAGE)

    @post("/api/admin/orders/{id}/refunds")
    def refund(self, request: Request, id: str) -> None:
        order = self.database.one("SELECT * FROM orders WHERE id = ?", int(id))
        amount = round(float(request.json.get("amount") or 0) * 100)
        reason, note = request.json.get("reason"), request.json.get("note", "")
        wrong = {}
        if not 0 < amount <= order["total"]:
            wrong["amount"] = "More than nothing, and no more than was paid"
        if reason not in REASONS:
            wrong["reason"] = "Choose a reason"
        if wrong:
            raise Refused(422, "The refund was not made", **wrong)
        self.database.insert("refunds", order_id=int(id), amount=amount, reason=reason, note=note)

    @get("/api/admin/products")
    def all_products(self, request: Request) -> Any:
        return page_of(self.database.rows("SELECT * FROM products ORDER BY name"), request.query, PER_PAGE)

    @post("/api/admin/products/{id}/price")
    def set_price(self, request: Request, id: str) -> Any:
        price = round(float(request.json["price"]) * 100)
        self.database.change("UPDATE products SET price = ? WHERE id = ?", price, int(id))
        return {"price": price}

    @post("/api/admin/products/delete")
    def delete(self, request: Request) -> Any:
        for each in request.json["ids"]:
            self.database.change("DELETE FROM products WHERE id = ?", int(each))
        return {"deleted": len(request.json["ids"])}

    @post("/api/admin/products")
    def create(self, request: Request) -> None:
        values = request.json
        require(values, "name", "sku", "category", "price", said="The product was not saved")
        self.database.insert(
            "products",
            **{key: str(values[key]) for key in ("name", "sku", "category")},
            price=round(float(values["price"]) * 100),
            stock=int(values.get("stock") or 0),
            rating=0,
            warranty=int(values.get("warranty") or 0),
            weight=0,
            description=values.get("description", ""),
            state="live" if values.get("live") else "draft",
        )


def _product(random: Random, name: str) -> Row:
    return {
        "name": name,
        "sku": words.code(random, 3, 4),
        "category": random.choice(CATEGORIES),
        "price": random.randint(400, 20_000),
        "stock": random.choice((0, 3, 5, 8, 13, 40)),
        "rating": random.randint(20, 50) / 10,
        "warranty": random.choice((12, 18, 24, 36, 48, 60)),
        "weight": random.randint(100, 4_000),
        "description": f"A {name.split()[0].lower()} thing of {random.choice(('oak', 'steel', 'wool', 'glass'))}.",
        "state": random.choice(("live",) * 5 + ("draft",)),
    }
