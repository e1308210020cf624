"""Rows whose expectation is prose, as they read; each has a test by hand in ``test_prose_rows``.

The words stand here so that a file that says something else under the same id is not passed over.
"""

from collections.abc import Mapping
from typing import Any, Final

from tests.vectors.reading import Row


PROSE: Final[Mapping[str, Mapping[str, Any]]] = {
    "scale-09": {"notes": "query (parent 101, child 1) and (101, 11) -> no answer (null)"},
    "wseq-06": {
        "ops": [
            {
                "op": "child created under tree root",
                "tree_id": "injected = root's",
                "allowed": True,
            },
            {"op": "update child parent to a quota of another tree", "allowed": False},
            {"op": "create child with tree-id label dfafda under tree root", "allowed": False},
        ]
    },
    "rev-04": {
        "delay": "default 120s then 0s",
        "steps": [
            ["used 0/0 <= runtime", False],
            ["used 1000 cpu, over, delay not passed", False],
            ["used back under", False],
            ["used 1000 cpu, over, delay 0", True],
        ],
    },
    "acc-09": {
        "notes": "4 pods labelled with not-yet-existing quota test1 (10/10 each) count in the "
        "default quota (request 40/40); once test1 exists they move to it within ~1s"
    },
    "st-03": {"expected": "no write"},
}


def said(row: Row) -> dict[str, Any]:
    """What the row says beside its id and where it comes from."""
    return {name: value for name, value in row.written.items() if name not in ("id", "source")}
