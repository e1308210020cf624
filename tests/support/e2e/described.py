"""The events of an object as the real ``kubectl describe`` prints them."""

import re
from typing import NamedTuple

from installation import Kubectl


class Row(NamedTuple):
    """One line of the table at the end."""

    type: str
    reason: str
    age: str
    message: str

    @property
    def times(self) -> int:
        """How often it was reported: the age of a series is ``2s (x7 over 6h)``."""
        found = re.search(r"\(x(\d+) over ", self.age)
        return int(found[1]) if found else 1


def rows(kubectl: Kubectl, kind: str, name: str, namespace: str) -> list[Row]:
    """The events about the object, the oldest first."""
    text = kubectl("describe", kind, name, "-n", namespace)
    _, _, table = text.partition("\nEvents:")
    lines = [re.split(r"\s{2,}", line.strip(), maxsplit=4) for line in table.splitlines()[3:]]
    return [Row(kind, reason, age, text) for kind, reason, age, _, text in lines]


def ours(kubectl: Kubectl, kind: str, name: str, namespace: str) -> dict[str, Row]:
    """By reason: the newest event of each of our reasons."""
    found = rows(kubectl, kind, name, namespace)
    return {row.reason: row for row in found if row.reason.startswith("Quota")}
