"""The golden table of pod sizes: what upstream says that a pod requests, as data."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple


QUOTA, SCHEDULER = "quota", "scheduler"


class Row(NamedTuple):
    """One pod."""

    name: str
    """A sentence."""
    spec: dict[str, Any]
    status: dict[str, Any]
    size: Mapping[str, str]
    """Canonical quantities, without ``pods``."""
    judges: tuple[str, ...]
    """The parts of a real control plane that can check it: ``QUOTA``, ``SCHEDULER``."""
    until: int | None = None
    """The last minor version of Kubernetes that counts so; None: the newest does."""


def _read() -> list[Row]:
    text = (Path(__file__).parents[2] / "vectors" / "pod_sizes.json").read_text("utf-8")
    return [
        Row(
            row["name"],
            row["spec"],
            row.get("status", {}),
            row["size"],
            tuple(row.get("judges", (QUOTA, SCHEDULER))),
            row.get("until"),
        )
        for group in json.loads(text)["groups"].values()
        for row in group
    ]


ROWS: Final = _read()
