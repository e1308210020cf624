"""Texts that are quantities, nearly are, or are not at all: the same ones in every run."""

import random
from typing import Final


_SUFFIXES: Final = ("", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti")
_RARE: Final = ("Pi", "Ei", "K", "Zi", "Y", "ki", "mi", "g", "i", "B", "Gb", "mm", "Ei3", "%")
_ODD: Final = (
    " ", "\t", "\n", "\u00a0", "\u200b", ",", "_", "'", "+", "-", ".", "x", "0x", "\u0661",
    "\uff11", "\u00b2", "\u2212", "\x00", "\\", '"', "/", "\U0001d7d9",
)  # fmt: skip


def generate(count: int) -> list[str]:
    """``count`` different texts; about half of them are quantities."""
    chance = random.Random(36)
    makers = (_plain, _plain, _fraction, _fraction, _exponent, _long, _wrong, _wrong, _odd, _odd)
    texts: set[str] = set()
    while len(texts) < count:
        texts.add(chance.choice(makers)(chance))
    return sorted(texts)


def _digits(chance: random.Random, longest: int) -> str:
    return "".join(chance.choices("0123456789", k=chance.randint(1, longest)))


def _sign(chance: random.Random) -> str:
    return chance.choice(("", "", "", "+", "-"))


def _suffix(chance: random.Random) -> str:
    return chance.choice((*_SUFFIXES, "Pi", "Ei"))


def _plain(chance: random.Random) -> str:
    return _sign(chance) + _digits(chance, 19) + _suffix(chance)


def _fraction(chance: random.Random) -> str:
    """With a point somewhere, also at either end."""
    whole, rest = _digits(chance, 8), _digits(chance, 14)
    number = chance.choice((f"{whole}.{rest}", f".{rest}", f"{whole}.", f"0.{'0' * 8}{rest}"))
    return _sign(chance) + number + _suffix(chance)


def _exponent(chance: random.Random) -> str:
    """No further than 40: what is much larger keeps an API server busy."""
    number = _digits(chance, 6) + chance.choice(("", "." + _digits(chance, 6)))
    exponent = chance.choice(("", "+", "-")) + str(chance.randint(0, 40))
    return _sign(chance) + number + chance.choice("eE") + exponent


def _long(chance: random.Random) -> str:
    """Around 64 characters."""
    number = "".join(chance.choices("0123456789", k=chance.randint(58, 70)))
    point = chance.choice((0, 1, 30, 57))
    return chance.choice((number, f"{number[:point]}.{number[point:]}")) + _suffix(chance)


def _wrong(chance: random.Random) -> str:
    """A wrong suffix, or no digit."""
    number = chance.choice((_digits(chance, 5), _digits(chance, 3) + "." + _digits(chance, 3), ""))
    return _sign(chance) + number + chance.choice((*_RARE, *_SUFFIXES, "e", "E-", "e1.5", "e1e1"))


def _odd(chance: random.Random) -> str:
    """A quantity with something put into it."""
    text = chance.choice((_plain, _fraction, _exponent))(chance)
    place = chance.choice((0, len(text), chance.randint(0, len(text))))
    return text[:place] + chance.choice(_ODD) + text[place:]
