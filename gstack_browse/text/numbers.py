"""Numbers as people and pages write them: with a point or a comma before the decimals, and between thousands. Pure."""

import re

_DECIMAL = re.compile(r"\d+[.,]\d+")
_WRITTEN = re.compile(r"\d[\d.,]*")
_BETWEEN = re.compile(r"(?<=\d)[\s\u00a0\u202f'’](?=\d{3})")
"""What stands between thousands beside a point and a comma."""


def is_another(held: str, wanted: str) -> bool:
    """Whether a text is a number with decimals (`wanted`), and another one is a number that cannot be the same: "123 €" for "12.3"."""
    if not _DECIMAL.fullmatch(wanted.strip()):
        return False
    meant, said = _read(wanted), _read(held)
    return bool(said) and not meant & said


def _read(text: str) -> set[float]:
    """What the only number in a text may be; nothing where there are several, or none."""
    found = _WRITTEN.findall(_BETWEEN.sub("", text))
    if len(found) != 1:
        return set()
    number = found[0].rstrip(".,")
    parts = re.split(r"[.,]", number)
    signs = re.findall(r"[.,]", number)
    may_be = set()
    if not signs or all(len(part) == 3 for part in parts[1:]):
        may_be.add(float("".join(parts)))
    if signs and signs.count(signs[-1]) == 1:
        may_be.add(float("".join(parts[:-1]) + "." + parts[-1]))
    return may_be
