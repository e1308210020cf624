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
    """Canonical quantities, without ``pods``, up to Kubernetes 1.36."""
    since_37: Mapping[str, str]
    """The same since Kubernetes 1.37."""
    judges: tuple[str, ...]
    """The parts of a real control plane that can check it: ``QUOTA``, ``SCHEDULER``."""

    def at(self, minor: int) -> "Row":
        """The row with the size as of this minor version of Kubernetes."""
        return self._replace(size=self.since_37) if minor >= 37 else self


def _read() -> list[Row]:
    text = (Path(__file__).parents[2] / "vectors" / "pod_sizes.json").read_text("utf-8")
    return [
        Row(
            row["name"],
            row["spec"],
            row.get("status", {}),
            row["size"],
            row.get("since 37", row["size"]),
            tuple(row.get("judges", (QUOTA, SCHEDULER))),
        )
        for group in json.loads(text)["groups"].values()
        for row in group
    ]


ROWS: Final = _read()
