"""``python -m small_worlds``: run small worlds and report what breaks a promise.

From the root of the repository, and with the code of another checkout as ``operator``::

    PYTHONPATH=operator:tests/support/generators python -m small_worlds --count 20000
    PYTHONPATH=operator:tests/support/generators python -m small_worlds --only 1679 -v
    PYTHONPATH=operator:tests/support/generators python -m small_worlds --how-many
"""

import argparse
import multiprocessing
import os
import sys
import time
from itertools import islice

from elasticquota.model.decision import Decisions
from small_worlds import enumeration, how_many, trial
from small_worlds.description import in_words
from small_worlds.oracles import Judge
from small_worlds.trial import Report
from small_worlds.world import World


class _Narrator(Judge):
    """A judge who prints what happens."""

    def decided(self, world: World, decisions: Decisions) -> None:
        for each in decisions.releases:
            excluded = [e for e in each.nodes.requirements if e.operator == "NotIn"]
            off = "".join(f" not on {', '.join(e.values)}" for e in excluded)
            _say(world, f"release {each.pod.name}{off}")
        for one in decisions.evictions:
            _say(world, f"evict {one.pod.name} for {one.preemptor or 'a limit'} ({one.right})")
        super().decided(world, decisions)

    def rests(self, world: World) -> None:
        running = [f"{live.name}@n{live.node}" for live in world.live.values() if live.node >= 0]
        waiting = [live.name for live in world.live.values() if live.node < 0]
        about = " after a restart" if world.restarted else ""
        _say(world, f"rest{about}: {', '.join(running)}; without a node: {', '.join(waiting)}")
        super().rests(world)

    def _fail(self, promise: str, kind: str, detail: str) -> None:
        print(f"           !! {promise}: {kind}: {detail}")
        super()._fail(promise, kind, detail)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m small_worlds", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="how many worlds")
    parser.add_argument("--start", type=int, default=0, help="the first block of indexes")
    parser.add_argument("--seconds", type=float, default=0, help="stop after so long; 0: never")
    cores = os.cpu_count() or 1
    parser.add_argument("--jobs", type=int, default=cores, help="how many processes")
    parser.add_argument("--only", type=int, help="run the world of this index only")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="with --only: tell all that happens"
    )
    parser.add_argument("--how-many", action="store_true", help="count the worlds, run none")
    arguments = parser.parse_args()
    if arguments.how_many:
        for line in how_many.in_words():
            print(line)
        return 0
    if arguments.only is not None:
        return _show(arguments.only, verbose=arguments.verbose)
    began = time.monotonic()
    report = _run_all(arguments)
    took = time.monotonic() - began
    _print(report, took)
    return 1 if report.failures else 0


def _run_all(arguments: argparse.Namespace) -> Report:
    jobs = arguments.jobs
    end = time.time() + arguments.seconds if arguments.seconds else 0.0
    shares = [
        (arguments.start + job, jobs, arguments.count // jobs + (job < arguments.count % jobs), end)
        for job in range(jobs)
    ]
    report = Report()
    if jobs == 1:
        report.merge(_run_share(shares[0]))
        return report
    with multiprocessing.Pool(jobs) as pool:
        for part in pool.imap_unordered(_run_share, shares):
            report.merge(part)
    return report


def _run_share(share: tuple[int, int, int, float]) -> Report:
    start, step, count, end = share
    found = trial.Trial()
    for index, spec in islice(trial.worlds(start, step), count):
        if end and time.time() > end:
            break
        found.add(index, spec)
    return found.report


def _show(index: int, *, verbose: bool) -> int:
    spec = enumeration.world(index)
    if spec is None:
        print(f"index {index} has no world")
        return 0
    for line in in_words(spec):
        print(line)
    judge = trial.judge_of(index, _Narrator if verbose else Judge)
    trial.run(index, World(spec, judge), judge)
    for failure in judge.failures:
        print(f"{failure.promise}: {failure.kind}: {failure.detail}")
    return 0


def _print(report: Report, took: float) -> None:
    rate = report.worlds / took
    print(
        f"{report.worlds} worlds, which stand for {report.stands_for}, in {took:.0f} s "
        f"({rate:.0f} a second); of {report.cycles} cycles {report.replayed} begin as in the "
        f"world before; the last index is {report.last}"
    )
    for fact, worlds in sorted(report.content.items()):
        print(f"  {worlds:8} {fact}")
    if not report.failures:
        print("no promise is broken")
    for line in report.in_words():
        print(line)
    for found in report.failures.values():
        print(f"to see it: python -m small_worlds --only {found.examples[0]} -v")


def _say(world: World, text: str) -> None:
    print(f"{(world.now - 1_000_000) / 1000:9.1f} s  {text}")


if __name__ == "__main__":
    sys.exit(main())
