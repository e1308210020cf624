"""Writes the tables of docs/configuration.md from the model of the configuration file.

    PYTHONPATH=operator:tools python -m configuration_page

A test compares the page with what this program would write.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from elasticquota_config import keys, text
from elasticquota_config.keys import ConfigurationKey, Heading


PAGE: Final = Path(__file__).parents[1] / "docs" / "configuration.md"
_BEGIN: Final = "<!-- The tables are written by tools/configuration_page.py. -->\n"
_END: Final = "<!-- end of the tables -->"
_HEAD: Final = "| key | default | may be | restart | meaning |\n|---|---|---|---|---|\n"


def written(page: str) -> str:
    """``page`` with its tables written again."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}{''.join(_tables())}\n{_END}{after}"


def _tables() -> Iterator[str]:
    """Yield the tables, those of a section before those of the sections in it."""
    outline = keys.outline()
    yield f"\n### At the top\n\n{_HEAD}"
    yield from _rows(outline, ())
    for entry in outline:
        if isinstance(entry, Heading):
            yield f"\n### {'.'.join(entry.path)}\n\n{entry.meaning}\n\n{_HEAD}"
            yield from _rows(outline, entry.path)


def _rows(outline: Iterable[Heading | ConfigurationKey], section: tuple[str, ...]) -> Iterator[str]:
    """The rows of a section's own keys: in the model they may stand behind a section in it."""
    for key in outline:
        if isinstance(key, ConfigurationKey) and key.path[:-1] == section:
            default, restart = text.inline(key.default), "no" if key.live else "yes"
            yield f"| `{key.path[-1]}` | `{default}` | {key.wanted} | {restart} | {key.meaning} |\n"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
