"""Full solves and single pod events of whole trees, ours and the usual method's by turns.

Before a time counts, the results are checked: ours and theirs must differ by at most two units, and
the result of single events must equal a solve from the start.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from benchmarks import measure, product, workloads
from benchmarks.measure import Times, Way
from benchmarks.product import Handle
from benchmarks.table import Row, Target
from benchmarks.usual_method import UsualMethod
from benchmarks.workloads import Workload
from elasticquota import names
from elasticquota.resources import Resources


EVENTS: Final = 2_500
BUDGET: Final = 3.0
"""Seconds for one implementation of one case."""

WITHIN: Final = 2
"""Units by which two roundings may differ; more would mean that they solve different tasks."""

SOLVES: Final[Mapping[tuple[str, int], Target | None]] = {
    ("flat", 1_000): Target(10),
    ("fan 10", 1_000): Target(10),
    ("chains of 30", 1_000): Target(10),
    ("random", 1_000): None,
    ("fan 10", 10_000): Target(100),
    ("fan 10", 100_000): Target(1_300),
}
"""Milliseconds."""

EVENT_MEDIANS: Final[Mapping[tuple[str, int], Target]] = {
    ("fan 10", 1_000): Target(30),
    ("fan 10", 10_000): Target(30),
    ("flat", 1_000): Target(500),
}
"""Microseconds."""

EVENT_P99: Final[Mapping[tuple[str, int], Target]] = {
    ("fan 10", 1_000): Target(200),
    ("fan 10", 10_000): Target(200),
}

Event = tuple[str, Resources]


def all_cases() -> Iterator[Row]:
    """Every shape and size, and the growth of the cost."""
    solves: dict[int, float] = {}
    changes: dict[int, float] = {}
    for (shape, count), reach in SOLVES.items():
        measure.say(f"{shape}, {count:,} quotas")
        workload = workloads.make(shape, count)
        handle, usual = product.built(workload), asked(workload)
        case = f"{shape}, {count:,} quotas"
        times = full_solves(workload, handle, usual)
        compare(handle, usual)
        yield solve_row(case, reach, times)
        if shape == "flat":
            ratio = times["each leaf"].median / times["ours"].median
            yield Row(f"{case}: against each leaf", ratio, "x", Target(20, at_least=True))
        changed = pod_events(workload, handle, usual)
        yield from event_rows(shape, count, changed)
        if shape == "fan 10":
            solves[count], changes[count] = times["ours"].median, changed["ours"].median
    yield Row("full solve, fan 10: growth over n", measure.exponent(solves), "", Target(1.1))
    yield Row(
        "one pod event, fan 10: growth over n",
        measure.exponent(changes),
        "",
        Target(0.25),
        note="depth alone makes 0.11",
    )


def asked(workload: Workload) -> UsualMethod:
    """The usual method with the same quotas, requests and total."""
    usual = UsualMethod(names.ROOT_QUOTA, workload.quotas)
    for leaf, own in workload.own_request.items():
        usual.set_request(leaf, own)
    usual.set_total(workload.available)
    return usual


def full_solves(workload: Workload, handle: Handle, usual: UsualMethod) -> dict[str, Times]:
    ways = {"ours": Way(lambda: product.solve_all(handle)), "once": Way(usual.solve_once)}
    if len(workload.quotas) <= 10_000:
        # A total that is set again, as after a node event, makes all versions old.
        ways["each leaf"] = Way(
            usual.refresh_leaves, prepare=lambda: usual.set_total(workload.available)
        )
    return measure.in_turns(ways, BUDGET)


def solve_row(case: str, reach: Target | None, times: Mapping[str, Times]) -> Row:
    milliseconds = {way: found.median * 1e3 for way, found in times.items()}
    return Row(
        f"full solve, {case}",
        milliseconds["ours"],
        "ms",
        reach,
        each_leaf=milliseconds.get("each leaf"),
        once=milliseconds["once"],
    )


def pod_events(workload: Workload, handle: Handle, usual: UsualMethod) -> dict[str, Times]:
    """After each event all of our runtimes are current; the usual method computes one path."""
    latest = dict(workload.own_request)

    def ours(event: Event) -> None:
        product.pod_event(handle, *event)
        latest.update([event])

    def theirs(event: Event) -> None:
        usual.set_request(*event)
        usual.refresh(event[0])

    stream = list(workloads.pod_events(workload, EVENTS))
    times = measure.events({"ours": ours, "each leaf": theirs}, stream, BUDGET)
    anew = product.built(replace(workload, own_request=latest))
    if product.read_runtimes(anew) != product.read_runtimes(handle):
        raise measure.WrongAnswerError("runtimes after pod events are not those of a full solve")
    return times


def event_rows(shape: str, count: int, times: Mapping[str, Times]) -> Iterator[Row]:
    case = f"one pod event, {shape}, {count:,} quotas"
    ours, theirs = times["ours"], times["each leaf"]
    note = f"{len(ours.seconds):,} measured"
    reach = EVENT_MEDIANS.get((shape, count))
    yield Row(case, ours.median * 1e6, "us", reach, each_leaf=theirs.median * 1e6, note=note)
    reach = EVENT_P99.get((shape, count))
    yield Row(f"{case}: p99", ours.p99 * 1e6, "us", reach, each_leaf=theirs.p99 * 1e6)


def compare(handle: Handle, usual: UsualMethod) -> None:
    ours, theirs = product.read_runtimes(handle), usual.runtimes()
    if ours.keys() != theirs.keys():
        raise measure.WrongAnswerError("not every quota has a runtime in both ways")
    for name, runtime in ours.items():
        for key, amount in runtime.items():
            if abs(amount - theirs[name][key]) > WITHIN:
                raise measure.WrongAnswerError(
                    f"{name}: {key} is {amount} here and {theirs[name][key]} by the usual method"
                )
