"""The fenced blocks of a page, and what is left without them."""

import re
from typing import NamedTuple


_BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A fenced block."""

    language: str
    text: str

    @property
    def lines(self) -> list[str]:
        """Its lines without indentation; a line that ends with a backslash goes on in the next."""
        joined = re.sub(r"\\\n\s*", "", self.text)
        return [line.strip() for line in joined.splitlines()]


def of(text: str, *languages: str) -> list[Block]:
    """The blocks of a page in these languages, or all of them."""
    found = [Block(*each) for each in _BLOCK.findall(text)]
    return [each for each in found if not languages or each.language in languages]


def sentences(text: str) -> str:
    """The page without its blocks."""
    return _BLOCK.sub("", text)


def statements(text: str) -> list[str]:
    """The statements of a block: each begins with a line that is not indented, and no bracket."""
    return re.split(r"\n(?![ )\n])", text.strip())
