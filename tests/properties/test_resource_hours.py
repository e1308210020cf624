"""Law: resource-hours are the integral of what was borrowed and lent, exactly.

For any history of decisions the totals of the meter equal the sum, over the log of the decisions,
of each amount times the seconds until the next decision. A process that takes over from the
published status at any moment counts the same.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from elasticquota.metering.meter import Meter
from elasticquota.model.decision import QuotaStatus
from elasticquota.model.key import Key
from elasticquota.wire.quota import metered


NAMES = ("a", "b")
AMOUNTS = st.dictionaries(st.sampled_from(("cpu", "memory")), st.integers(0, 10**6), max_size=2)


class Figures(NamedTuple):
    used: dict[str, int]
    request: dict[str, int]
    min: dict[str, int]


class Round(NamedTuple):
    """One decision in the log."""

    after: int
    """Seconds since the one before."""
    figures: dict[str, Figures | None]
    """None: as in the decision before."""
    restarts: bool


ROUNDS = st.builds(
    Round,
    st.integers(0, 10_000),
    st.fixed_dictionaries(
        dict.fromkeys(NAMES, st.none() | st.builds(Figures, AMOUNTS, AMOUNTS, AMOUNTS))
    ),
    st.booleans(),
)


def status(name: str, found: Figures) -> QuotaStatus:
    return QuotaStatus(
        key=Key("team", name),
        generation=1,
        tree="root",
        parent="root",
        used=found.used,
        request=found.request,
        runtime={},
        admitted=found.used,
        min=found.min,
        max={"cpu": 10**9, "memory": 10**9},
        weight={},
        pods_admitted=0,
        pods_gated=0,
        conditions=(),
    )


def integral(log: Sequence[tuple[int, dict[str, Figures]]], name: str, end: int) -> Counter[str]:
    """The sum over the log; ``b:`` borrowed, ``l:`` lent."""
    found: Counter[str] = Counter()
    ends = [at for at, _ in log[1:]] + [end]
    for (at, figures), until in zip(log, ends, strict=True):
        used, request, least = figures[name]
        for key in ("cpu", "memory"):
            found["b:" + key] += max(0, used.get(key, 0) - least.get(key, 0)) * (until - at)
            found["l:" + key] += max(0, least.get(key, 0) - request.get(key, 0)) * (until - at)
    return +found


def counted(meter: Meter, name: str, end: int) -> Counter[str]:
    hours = meter.of(Key("team", name))
    if hours is None:
        return Counter()
    totals = hours.totals(end)
    found = Counter({"b:" + key: amount for key, amount in totals.borrowed.items()})
    found.update({"l:" + key: amount for key, amount in totals.lent.items()})
    return +found


@given(st.lists(ROUNDS, min_size=1, max_size=12), st.integers(0, 10_000))
def test_totals_are_the_integral_over_the_log_of_decisions(rounds: list[Round], rest: int) -> None:
    meter, now = Meter(), 1_700_000_000
    figures = dict.fromkeys(NAMES, Figures({}, {}, {}))
    statuses = {name: status(name, figures[name]) for name in NAMES}
    log: list[tuple[int, dict[str, Figures]]] = []
    for each in rounds:
        now += each.after
        for name, new in each.figures.items():
            if new is not None:
                figures = {**figures, name: new}
                statuses[name] = status(name, new)
        log.append((now, figures))
        if each.restarts:
            # The old process is gone; the new one knows what the statuses say.
            published = {name: meter.of(Key("team", name)) for name in NAMES}
            meter = Meter()
            for name, hours in published.items():
                if hours is not None:
                    written = {"metering": metered.document(hours)}
                    meter.restore(Key("team", name), metered.read(written))
        meter.follow(tuple(statuses.values()), now)
    end = now + rest
    for name in NAMES:
        assert counted(meter, name, end) == integral(log, name, end)
