"""The reports for programs, ``overview.elasticquota.dev/v1``; see docs/how-to/on-call.md.

Tables are printed from them too. Within v1 fields are added, never renamed, removed or given
another meaning. Amounts are canonical quantities, times are RFC 3339. docs/overview.schema.json is
made from these classes.
"""

from typing import Final, Literal

import msgspec


API_VERSION: Final = "overview.elasticquota.dev/v1"

Amounts = dict[str, str]
Version = Literal["overview.elasticquota.dev/v1"]


class _OverviewPart(msgspec.Struct, rename="camel"):
    pass


class Pending(_OverviewPart):
    """The pods of one quota that wait."""

    namespace: str
    """Empty for a quota that was not read."""
    quota: str
    waiting: int
    needs: Amounts
    """What the waiting pods that were read ask for together."""
    head: str
    """NAMESPACE/NAME of the first in the queue; empty: it was not read."""
    reason: str
    message: str
    """Why the head waits, in the controller's words."""
    oldest: str
    """When the oldest of them was created; empty: none was read."""
    expected: str
    """In what time the head may start; empty: there is nothing to go by."""


class Balance(_OverviewPart):
    """What one quota has from others, and others from it."""

    namespace: str
    quota: str
    borrowed: Amounts
    lent: Amounts
    evicted: int
    """Pods of it that were evicted in the last 24 hours."""
    reclaimed: int
    """Pods of others that were evicted for it in the last 24 hours."""


class Hour(_OverviewPart):
    """The evictions of one hour."""

    hour: str
    """The begin of the hour."""
    evicted: int
    victims: dict[str, int]
    """Evicted pods by quota, most first."""
    gainers: dict[str, int]
    """Pods of others evicted for a quota, by quota, most first."""


class EvictionCause(_OverviewPart):
    """Evictions of one cause."""

    time: str
    since: str
    evicted_from: str
    reclaimed_for: str
    """Empty: for a limit."""
    workload: str
    right: str
    pods: int
    amounts: Amounts


class PendingList(_OverviewPart, tag_field="kind", tag="PendingList"):
    """``pending``."""

    api_version: Version
    items: list[Pending]
    notes: list[str]


class Top(_OverviewPart, tag_field="kind", tag="Top"):
    """``top``."""

    api_version: Version
    items: list[Balance]
    hours: list[Hour]
    notes: list[str]


class History(_OverviewPart, tag_field="kind", tag="History"):
    """``history``, newest first."""

    api_version: Version
    items: list[EvictionCause]
    notes: list[str]


Report = PendingList | Top | History
