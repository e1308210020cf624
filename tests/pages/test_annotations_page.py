"""docs/annotations.md names every key that we read or write, and no other."""

import re
from pathlib import Path

from elasticquota import names


PAGE = Path(__file__).parents[2] / "docs" / "annotations.md"
KOORDINATOR, OURS = "quota.scheduling.koordinator.sh/", "elasticquota.dev/"


def keys() -> set[str]:
    values = vars(names).values()
    texts = {value for value in values if isinstance(value, str)}
    texts.update(*(value for value in values if isinstance(value, tuple)))
    return {text for text in texts if re.fullmatch(r"[a-z0-9.-]+/[a-z-]+", text)}


def told() -> set[str]:
    """The first column of every table, and the namespace's label; Koordinator's figures by name."""
    text = PAGE.read_text(encoding="utf-8")
    figures = text.index("## Koordinator's annotations")
    rows = re.findall(r"^\| (`[^|]*`) \|", text[figures:], re.MULTILINE)
    published = {KOORDINATOR + key for row in rows for key in re.findall(r"`([a-z-]+)`", row)}
    cells = re.findall(r"^\| (`[^|]*`) \|", text[:figures], re.MULTILINE)
    written = {key for cell in cells for key in re.findall(r"`([a-z0-9.-]+/[a-z-]+)`", cell)}
    return written | published | set(re.findall(rf"The label `({OURS}[a-z-]+):", text))


def test_every_key_has_its_row() -> None:
    assert keys() - told() == set()


def test_no_row_is_about_a_key_that_there_is_not() -> None:
    assert told() - keys() == set()
