"""Numbers as people write them: decimal point or comma, and separators between thousands. Pure."""

import re

_DECIMAL = re.compile(r"\d+[.,]\d+")
_WRITTEN = re.compile(r"\d[\d.,]*")
_BETWEEN = re.compile(r"(?<=\d)[\s\u00a0\u202f'’](?=\d{3})")
"""Separators of thousands other than point and comma."""


def is_different_number(held: str, wanted: str) -> bool:
    """Return whether `wanted` is a decimal number and `held` a different number: "123 €" for "12.3".

    AutoNumeric with a decimal comma takes the point of a text for a separator of thousands.
    """
    if not _DECIMAL.fullmatch(wanted.strip()):
        return False
    meant, said = _possible_values(wanted), _possible_values(held)
    return bool(said) and not meant & said


def is_same_number(held: str, wanted: str) -> bool:
    """Return whether two texts have one number each, the same one as people usually write it: "1,234.50 €" for "1234.5"."""
    values = _usual_value(held), _usual_value(wanted)
    return values[0] is not None and values[0] == values[1]


def _usual_value(text: str) -> float | None:
    """Return the only number in a text, of which three digits behind the last sign are thousands; None for none or several."""
    found = _WRITTEN.findall(_BETWEEN.sub("", text))
    if len(found) != 1:
        return None
    *whole, last = re.split(r"[.,]", found[0].rstrip(".,"))
    is_fraction = bool(whole) and len(last) != 3
    value = float(f"{''.join(whole)}.{last}" if is_fraction else "".join([*whole, last]))
    return -value if re.search(r"[-\u2212]\s*\D?\d", text) else value


def _possible_values(text: str) -> set[float]:
    """Return the values that the only number in a text may have; empty for none or several numbers."""
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
