"""docs/reclaim.md names every setting with its default, and everything that is said."""

import re
from pathlib import Path

from elasticquota.scheduling import starved
from elasticquota.scheduling.evictions import in_flight
from elasticquota_config.fields import section
from elasticquota_config.model import Configuration


_ROOT = Path(__file__).parents[2]
PAGE = (_ROOT / "docs/reclaim.md").read_text()


def _written(row: str) -> list[str]:
    """The keys in the first cell of a table's row and the defaults in its second."""
    _, keys, defaults, *_ = row.split("|")
    values = [word.strip() for word in re.split(r", (?=\d|off|never|true|false)", defaults)]
    return [
        f"{key}={value}"
        for key, value in zip(re.findall(r"`([\w.]+)`", keys), values, strict=False)
    ]


def test_the_page_has_every_setting_and_its_default() -> None:
    rows = [
        row
        for row in PAGE.splitlines()
        if re.match(r"\| `\w+(Seconds?|Percent)`|\| `(paused|fairShare)", row)
    ]
    told = {pair for row in rows for pair in _written(row)}
    defaults = section.plain(Configuration())["reclaim"]
    dialects = defaults.pop("fairShareDialects")
    defaults |= {f"fairShareDialects.{name}": is_on for name, is_on in dialects.items()}
    assert told == {f"{key}={str(value).lower()}" for key, value in defaults.items()}


def test_the_page_has_every_reason_for_starving() -> None:
    listed = PAGE.partition("| `Starved` because of |")[2]
    assert set(starved.StarvedCause) == {*re.findall(r"^\| `(\w+)` \|", listed, re.MULTILINE)}


def test_the_page_has_every_condition() -> None:
    sources = Path(in_flight.__file__).read_text() + Path(starved.__file__).read_text()
    for kind in re.findall(r'Condition\("(\w+)"', sources):
        assert f"`{kind}`" in PAGE
