"""The gauge with the figures of all quotas, as text in the format of Prometheus.

It is two thirds of all series, and a scrape of 1,000 quotas spends most of its time on them. So the
lines of a quota are kept as long as its status is the same object, which few are not.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from prometheus_client.core import GaugeMetricFamily

from elasticquota import quantity
from elasticquota.metering import meter
from elasticquota.model.decision import QuotaStatus
from elasticquota.model.key import Key
from elasticquota.resources import Resources


_FAMILY: Final = GaugeMetricFamily(
    "elasticquota_quota",
    "Figures of each quota: cores, bytes, devices.",
    labels=["quota", "namespace", "tree", "resource", "field"],
)
_HEAD: Final = (
    f"# HELP {_FAMILY.name} {_FAMILY.documentation}\n# TYPE {_FAMILY.name} {_FAMILY.type}\n"
)


class FiguresText:
    """Remembers the lines of the last scrape; mutable, for one scrape at a time."""

    def __init__(self) -> None:
        self._known: dict[Key, tuple[QuotaStatus, str]] = {}

    def of(self, statuses: Iterable[QuotaStatus]) -> bytes:
        """Return the whole family."""
        before, self._known = self._known, {}
        for status in statuses:
            known = before.get(status.key)
            if known is None or known[0] is not status:
                known = status, _lines(status)
            self._known[status.key] = known
        return "".join([_HEAD, *(lines for _, lines in self._known.values())]).encode()


def _lines(status: QuotaStatus) -> str:
    place = f'namespace="{_escaped(status.key.namespace)}",quota="{_escaped(status.key.name)}"'
    tree = f'tree="{_escaped(status.tree)}"'
    return "".join(
        f'{_FAMILY.name}{{field="{field}",{place},resource="{_escaped(resource)}",{tree}}} '
        f"{quantity.whole(resource, amount)!r}\n"
        for field, held in _fields(status).items()
        for resource, amount in held.items()
    )


def _fields(status: QuotaStatus) -> Mapping[str, Resources]:
    """Borrowed and lent are 0 rather than missing, so that a graph of them has no gaps."""
    idle = dict.fromkeys(status.min, 0)
    return {
        "min": status.min,
        "max": status.max,
        "request": status.request,
        "used": status.used,
        "admitted": status.admitted,
        "runtime": status.runtime,
        "borrowed": {**idle, **meter.borrowed(status)},
        "lent": {**idle, **meter.lent(status)},
    }


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
