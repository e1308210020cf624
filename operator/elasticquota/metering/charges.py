"""Resource-hours as rows for chargeback, and those as CSV (RFC 4180, with a head).

Seconds are exact: core-seconds with up to three digits for cpu, else whole units times seconds.
Hours are rounded to four digits, half up.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from elasticquota import names, pool_keys, texts
from elasticquota.model import moments
from elasticquota.model.key import Key
from elasticquota.model.resource_hours import ResourceHours


class Metered(NamedTuple):
    """A quota and what it borrowed and lent."""

    quota: Key
    tree: str
    hours: ResourceHours


class Charge(NamedTuple):
    """One resource of one quota from ``since`` to ``until``; the fields are the columns."""

    namespace: str
    quota: str
    tree: str
    resource: str
    borrowed_seconds: str
    lent_seconds: str
    borrowed_hours: str
    lent_hours: str
    since: str
    until: str


def charges(metered: Iterable[Metered], now: int) -> Iterator[Charge]:
    """Yield the rows at ``now``, epoch seconds, by namespace, quota and resource."""
    for quota, tree, hours in sorted(metered, key=lambda each: each.quota):
        until = max(now, hours.at)
        totals = hours.totals(until)
        for resource in sorted(totals.borrowed.keys() | totals.lent.keys()):
            borrowed, lent = (each.get(resource, 0) for each in totals)
            thousandths = 1 if pool_keys.resource(resource) == names.CPU else 1000
            yield Charge(
                quota.namespace,
                quota.name,
                tree,
                resource,
                _decimal(borrowed * thousandths, 3),
                _decimal(lent * thousandths, 3),
                _hours(borrowed * thousandths),
                _hours(lent * thousandths),
                moments.text(hours.since * 1000),
                moments.text(until * 1000),
            )


def as_csv(rows: Iterable[Charge]) -> str:
    """Return the rows as CSV with a head, in printable texts; lines end with CRLF."""
    text = io.StringIO()
    csv.writer(text).writerows(map(texts.printable, row) for row in (Charge._fields, *rows))
    return text.getvalue()


def _hours(thousandths: int) -> str:
    """Thousandths of a unit-second -> unit-hours with four digits."""
    return _decimal((thousandths * 10 + 1800) // 3600, 4)


def _decimal(amount: int, digits: int) -> str:
    """``amount`` divided by ten to the power of ``digits``, without zeros at the end."""
    whole, rest = divmod(amount, 10**digits)
    fraction = f"{rest:0{digits}}".rstrip("0")
    return f"{whole}.{fraction}" if fraction else str(whole)
