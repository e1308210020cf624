"""docs/reclaim.md names everything that is said."""

import re
from pathlib import Path

from elasticquota.scheduling import starved
from elasticquota.scheduling.evictions import in_flight


_ROOT = Path(__file__).parents[2]
PAGE = (_ROOT / "docs/reclaim.md").read_text()


def test_the_page_has_every_reason_for_starving() -> None:
    listed = PAGE.partition("| `Starved` because of |")[2]
    assert set(starved.StarvedCause) == {*re.findall(r"^\| `(\w+)` \|", listed, re.MULTILINE)}


def test_the_page_has_every_condition() -> None:
    sources = Path(in_flight.__file__).read_text() + Path(starved.__file__).read_text()
    for kind in re.findall(r'Condition\("(\w+)"', sources):
        assert f"`{kind}`" in PAGE
