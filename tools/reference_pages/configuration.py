"""The tables of docs/configuration.md, from the model of the configuration file."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from elasticquota_config import keys, text
from elasticquota_config.keys import ConfigurationKey, Heading
from reference_pages.tables import inserted, table


PAGE: Final = Path(__file__).parents[2] / "docs" / "configuration.md"
_MARK: Final = "<!-- The tables are written by tools/reference_pages: make reference -->"
_HEAD: Final = ("key", "default", "may be", "restart", "meaning")


def written(page: str) -> str:
    """``page`` with its tables written again."""
    return inserted(page, _MARK, "".join(_tables()))


def _tables() -> Iterator[str]:
    """Yield the tables, those of a section before those of the sections in it."""
    outline = keys.outline()
    yield f"### At the top\n\n{table(_HEAD, _rows(outline, ()))}"
    for entry in outline:
        if isinstance(entry, Heading):
            yield f"### {'.'.join(entry.path)}\n\n{entry.meaning}\n\n"
            yield table(_HEAD, _rows(outline, entry.path))


def _rows(
    outline: Iterable[Heading | ConfigurationKey], section: tuple[str, ...]
) -> Iterator[tuple[str, ...]]:
    """The rows of a section's own keys: in the model they may stand behind a section in it."""
    for key in outline:
        if isinstance(key, ConfigurationKey) and key.path[:-1] == section:
            default, restart = text.inline(key.default), "no" if key.live else "yes"
            yield f"`{key.path[-1]}`", f"`{default}`", key.wanted, restart, key.meaning
