from gstack_browse.documents.pdf.layout import Block, Word, normalise_word, order_page
from tests.each import each_row


def line(y: int, *cells: tuple[int, str]) -> list[Word]:
    """Words of a line; each cell begins at an x, a letter is 6 points wide."""
    words = []
    for x, text in cells:
        for word in text.split():
            words.append(Word(word, x, y, x + 6 * len(word), y + 10))
            x += 6 * (len(word) + 1)
    return words


def texts(blocks: list[Block]) -> list[list[list[str]]]:
    return [[[" ".join(word.text for word in cell) for cell in row] for row in block.lines] for block in blocks]


PROSE = "the words of a column of prose"
CASES = [
    (
        "a paragraph ends where lines are far apart",
        [line(90, (0, "a b")), line(78, (0, "c")), line(40, (0, "d"))],
        [[["a b"], ["c"]], [["d"]]],
    ),
    (
        "rows of cells are a table with empty cells",
        [line(90, (0, "N"), (100, "P"), (200, "Q")), line(78, (0, "x"), (200, "2"))],
        [[["N", "P", "Q"], ["x", "", "2"]]],
    ),
    (
        "words of a head that are close to each other stand above their columns",
        [
            line(90, (0, "Year"), (34, "Floods"), (100, "Sum")),
            line(78, (0, "2024"), (45, "9"), (100, "2")),
            line(66, (0, "2025"), (45, "12"), (100, "4")),
        ],
        [[["Year", "Floods", "Sum"], ["2024", "9", "2"], ["2025", "12", "4"]]],
    ),
    ("cells that are drawn one by one are one row", [line(90, (0, "a")), line(90, (100, "b"))], [[["a", "b"]]]),
    ("cells of one row from right to left", [[*line(90, (100, "b")), *line(90, (0, "a"))]], [[["b", "a"]]]),
    (
        "two columns of prose are read one after the other",
        [line(90 - 12 * at, (0, f"{PROSE} {at}"), (300, f"{PROSE} {at + 6}")) for at in range(6)],
        [[[f"{PROSE} {at}"] for at in range(6)], [[f"{PROSE} {at}"] for at in range(6, 12)]],
    ),
    ("nothing", [[], []], []),
]


@each_row(*CASES)
def test_words_are_put_in_order(what: str, lines: list[list[Word]], expected: list[list[list[str]]]) -> None:
    assert texts(order_page(lines)) == expected


def test_letters_are_put_in_the_order_of_reading() -> None:
    seen, read = "ابحرم", "مرحبا"
    assert normalise_word(seen, is_left_to_right=True) == read
    assert normalise_word(read, is_left_to_right=False) == read
    assert normalise_word("of\ufb01ce", is_left_to_right=True) == "office"
    assert normalise_word("\uf0b7", is_left_to_right=True) == "•"
    assert normalise_word("x²", is_left_to_right=True) == "x²"
