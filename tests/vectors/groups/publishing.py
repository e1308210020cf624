"""What is written about a quota: the peer's annotations and its gauge."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from elasticquota import resources
from elasticquota.model.decision import QuotaStatus
from elasticquota.model.key import Key
from elasticquota.wire.quota import koordinator_annotations, statuses
from elasticquota_operator.pages import koordinator_metrics
from tests.vectors import reading
from tests.vectors.figures import Figure
from tests.vectors.reading import Fields, Row


_FIGURES = {
    name: {"cpu": "1", "memory": "50"}
    for name in (
        "used", "non-preemptible-used", "non-preemptible-request", "request", "runtime",
        "child-request", "allocated", "guaranteed",
    )
}  # fmt: skip


def status_writer(row: Row, fields: Fields) -> Iterator[Figure]:
    """Published annotations and metrics."""
    if "expected_series" in fields:
        yield from _series(fields)
        return
    expected = fields["expected"]
    if "changed" in fields:
        before = koordinator_annotations.difference(_published(_FIGURES), {})
        changed = fields.by_name("changed")
        figures_then = {**_FIGURES, **{name: part.pairs() for name, part in changed.items()}}
        found = sorted(koordinator_annotations.difference(_published(figures_then), before))
        only = expected.removeprefix("only the ").removesuffix(" annotation changes")
        yield Figure("expected", found, [f"quota.scheduling.koordinator.sh/{only}"])
        return
    if expected != "all 7 annotations + status.used written":
        raise reading.ReadingError(f"{fields.where}.expected: '{expected}' is no known outcome")
    summary = {name: part.pairs() for name, part in fields.by_name("summary").items()}
    status = _published(summary)
    found_all = koordinator_annotations.difference(status, fields["existing_annotations"])
    used = statuses.quota_status(status)["used"]
    yield Figure("expected used", resources.parse(used), resources.parse(summary.pop("used")))
    yield Figure("expected annotations", len(found_all), 7)
    for name, written in summary.items():
        published = json.loads(found_all[f"quota.scheduling.koordinator.sh/{name}"])
        yield Figure(f"expected {name}", resources.parse(published), resources.parse(written))


def _series(fields: Fields) -> Iterator[Figure]:
    """A quota that has all figures but a weight of its own, each of two resources."""
    two = {"cpu": "5", "memory": "50"}
    every = dict.fromkeys((*_FIGURES, "min", "max", "unschedulable"), two)
    samples = koordinator_metrics.family([_published(every)]).samples
    yield Figure("expected_series", len(samples), fields["expected_series"])
    told = re.search(r"cpu 5 -> (\d+)\), memory raw; fields ([a-z, -]+) \(", fields.get("notes"))
    if told is None:
        raise reading.ReadingError(f"{fields.where}.notes does not name the fields")
    milli, named = told.groups()
    yield Figure("fields", sorted({s.labels["field"] for s in samples}), named.split(", "))
    values = {sample.labels["resource"]: sample.value for sample in samples}
    yield Figure("values", values, {"cpu": float(milli), "memory": 50.0})


def _published(summary: Mapping[str, Mapping[str, str]]) -> QuotaStatus:
    """A quota with the figures of the peer's summary."""
    figures_of: dict[str, Any] = {name: {} for name in ("admitted", "min", "max", "weight")}
    for name, written in summary.items():
        figures_of[name.replace("-", "_")] = resources.parse(written)
    return QuotaStatus(
        key=Key("ns", "q"),
        generation=1,
        tree="root",
        parent="root",
        pods_admitted=0,
        pods_gated=0,
        conditions=(),
        **figures_of,
    )


TABLES = {("status_writer", "vectors"): status_writer}
