"""The tables of docs/configuration.md, from the model of the configuration file."""

from collections.abc import Iterable, Iterator
from typing import Final

from elasticquota_config import keys, text
from elasticquota_config.keys import ConfigurationKey, Heading
from reference_pages.sources import ROOT
from reference_pages.tables import inserted, table


PAGE: Final = ROOT / "docs" / "configuration.md"
_MARK: Final = "<!-- The tables are written by tools/reference_pages: make reference -->"
_HEAD: Final = ("key", "default and values", "meaning")
_AT_START: Final = "Read at the start."


def written(page: str) -> str:
    """``page`` with its tables written again."""
    return inserted(page, _MARK, "".join(_tables()))


def _tables() -> Iterator[str]:
    """Yield the tables, those of a section before those of the sections in it."""
    outline = keys.outline()
    yield f"### At the top\n\n{table(_HEAD, _rows(_of(outline, ())))}"
    for entry in outline:
        if isinstance(entry, Heading):
            of_section = _of(outline, entry.path)
            at_start = bool(of_section) and not any(key.live for key in of_section)
            said = f"{entry.meaning} {_AT_START}" if at_start else entry.meaning
            yield f"### {'.'.join(entry.path)}\n\n{said}\n\n"
            yield table(_HEAD, _rows(of_section, at_start=at_start))


def _of(
    outline: Iterable[Heading | ConfigurationKey], section: tuple[str, ...]
) -> list[ConfigurationKey]:
    """A section's own keys: in the model they may stand behind a section in it."""
    found = (key for key in outline if isinstance(key, ConfigurationKey))
    return [key for key in found if key.path[:-1] == section]


def _rows(
    of_section: Iterable[ConfigurationKey], *, at_start: bool = False
) -> Iterator[tuple[str, ...]]:
    for key in of_section:
        said = key.meaning if key.live or at_start else f"{key.meaning} {_AT_START}"
        yield f"`{key.path[-1]}`", _values(key), said


def _values(key: ConfigurationKey) -> str:
    """The default as code, and what else the key may be."""
    default = text.inline(key.default)
    others = key.wanted.replace(" or ", ", ").split(", ")
    if default in others:
        others.remove(default)
        return " or ".join((f"`{default}`", *others))
    return f"`{default}`; {key.wanted}"
