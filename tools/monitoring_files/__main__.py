"""``python -m monitoring_files``: writes the files of the chart again."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from monitoring_files import alerts, dashboards, panels


ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "charts/elastic-quota-operator/files"
RUNBOOKS: Final = ROOT / "docs/runbooks/README.md"


def files() -> Iterator[tuple[Path, str]]:
    """Each file with what belongs into it."""
    yield RUNBOOKS, alerts.index(RUNBOOKS.read_text(encoding="utf-8"))
    for each in dashboards.DASHBOARDS:
        text = json.dumps(panels.document(each), indent=1)
        yield FOLDER / "dashboards" / f"{each.uid}.json", text + "\n"


def main() -> None:
    """Write them."""
    for path, text in files():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
