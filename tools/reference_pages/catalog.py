"""Every generated page by its file name."""

from collections.abc import Callable, Mapping
from typing import Final

from reference_pages import cli, crds, messages, metrics
from reference_pages.sources import ROOT


FOLDER: Final = ROOT / "docs" / "reference"
WRITERS: Final[Mapping[str, Callable[[], str]]] = {
    "cli.md": cli.page,
    "crds.md": crds.page,
    "messages.md": messages.page,
    "metrics.md": metrics.page,
}
_NOTE: Final = "<!-- Written by tools/reference_pages: make reference -->\n\n"


def pages() -> dict[str, str]:
    """What each file of ``docs/reference`` holds."""
    return {name: f"{_NOTE}{write()}" for name, write in WRITERS.items()}
