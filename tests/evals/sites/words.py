"""Names, things and places that seeds choose from."""

from random import Random

FIRST = [
    "Ada", "Amir", "Bea", "Carlos", "Chen", "Dana", "Elif", "Emil", "Farah", "Femi", "Greta", "Hana",
    "Hugo", "Ines", "Ivan", "Jana", "Jonas", "Kaya", "Lars", "Leila", "Luca", "Maren", "Mateo", "Mina",
    "Nadia", "Nils", "Olga", "Omar", "Paula", "Pavel", "Quinn", "Rosa", "Samir", "Selma", "Tariq", "Thea",
    "Uma", "Viktor", "Wanda", "Yara", "Yusuf", "Zoe",
]  # fmt: skip
LAST = [
    "Abadi", "Bergman", "Castro", "Dubois", "Eklund", "Farrow", "Garcia", "Hansen", "Ibrahim", "Jansen",
    "Kowalski", "Lindqvist", "Moreau", "Nakamura", "Okafor", "Petrov", "Quist", "Romano", "Sandoval",
    "Takahashi", "Ueda", "Vasquez", "Weber", "Xiong", "Yilmaz", "Zeller",
]  # fmt: skip
CITIES = [
    "Aarhus", "Bergen", "Cork", "Dresden", "Evora", "Faro", "Ghent", "Haarlem", "Izmir", "Jena", "Krakow",
    "Lyon", "Malmo", "Nantes", "Oulu", "Porto", "Riga", "Seville",
]  # fmt: skip
COUNTRIES = [
    "Austria", "Belgium", "Denmark", "Estonia", "Finland", "France", "Germany", "Ireland", "Italy",
    "Norway", "Poland", "Portugal", "Spain", "Sweden",
]  # fmt: skip
ADJECTIVES = [
    "Amber", "Brisk", "Cobalt", "Dapper", "Ember", "Fable", "Golden", "Hazel", "Ivory", "Jade", "Kindle",
    "Lunar", "Misty", "Nimble", "Olive", "Prime", "Quiet", "Rustic",
]  # fmt: skip
NOUNS = [
    "Anvil", "Basket", "Compass", "Drum", "Easel", "Flask", "Globe", "Hammock", "Inkwell", "Jug", "Kettle",
    "Lantern", "Mirror", "Notebook", "Ottoman", "Pillow", "Quilt", "Rug",
]  # fmt: skip


def person(random: Random) -> str:
    return f"{random.choice(FIRST)} {random.choice(LAST)}"


def people(random: Random, count: int) -> list[str]:
    """Different names. At most as many as there are pairs."""
    pairs = [f"{first} {last}" for first in FIRST for last in LAST]
    return random.sample(pairs, count)


def things(random: Random, count: int) -> list[str]:
    """Different names of products."""
    pairs = [f"{adjective} {noun}" for adjective in ADJECTIVES for noun in NOUNS]
    return random.sample(pairs, count)


def email(name: str) -> str:
    return name.lower().replace(" ", ".") + "@example.com"


def code(random: Random, letters: int = 2, digits: int = 5) -> str:
    """A number such as KD-48213."""
    head = "".join(random.choices("ABCDEFGHJKLMNPRSTUVWXYZ", k=letters))
    return f"{head}-{''.join(random.choices('0123456789', k=digits))}"


def date(random: Random, year: int = 2027) -> str:
    return f"{year}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
