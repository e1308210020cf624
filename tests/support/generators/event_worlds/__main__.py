"""``python -m event_worlds``: run event worlds and report what breaks a promise.

From the root of the repository::

    P=tests/support; export PYTHONPATH=operator:webhooks:$P:$P/generators:$P/builders
    python -m event_worlds --count 2000 --jobs 2
    python -m event_worlds --only 1679 -v
    python -m event_worlds --only 1679 --smaller
"""

import argparse
import multiprocessing
import sys
import time

from elasticquota.model.decision import Decisions
from event_worlds import generation, trial
from event_worlds.description import in_words
from event_worlds.oracles import Judge
from event_worlds.play import Play
from event_worlds.trial import Report


class _Narrator(Judge):
    """A judge who prints what happens."""

    def decided(self, play: Play, decisions: Decisions) -> None:
        for each in decisions.releases:
            _say(play, f"release {each.pod.name}")
        for one in decisions.evictions:
            _say(play, f"evict {one.pod.name} for {one.preemptor or 'a limit'} ({one.right})")
        super().decided(play, decisions)

    def rests(self, play: Play) -> None:
        pods = play.scene.cluster.pods.values()
        running = [f"{pod.key.name}@{pod.node_name}" for pod in pods if pod.bound]
        unplaced = [pod.key.name for pod in pods if not pod.bound and not pod.gated]
        waiting = [pod.key.name for pod in pods if pod.gated]
        _say(play, f"rest: {', '.join(running)}")
        _say(play, f"  waiting: {', '.join(waiting)}; without a node: {', '.join(unplaced)}")
        super().rests(play)

    def fail(self, promise: str, kind: str, detail: str) -> None:
        print(f"           !! {promise}: {kind}: {detail}")
        super().fail(promise, kind, detail)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m event_worlds", description=__doc__)
    parser.add_argument("--count", type=int, default=500, help="how many worlds")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--only", type=int, help="run the world of this seed only")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="with --only: tell all that happens"
    )
    parser.add_argument(
        "--smaller", action="store_true", help="with --only: find the smallest world that fails so"
    )
    arguments = parser.parse_args()
    if arguments.only is not None:
        return _show(arguments.only, verbose=arguments.verbose, smaller=arguments.smaller)
    began = time.monotonic()
    seeds = range(arguments.start, arguments.start + arguments.count)
    report = Report()
    if arguments.jobs == 1:
        report = _run_share(seeds)
    else:
        with multiprocessing.Pool(arguments.jobs) as pool:
            shares = [seeds[job :: arguments.jobs] for job in range(arguments.jobs)]
            for part in pool.imap_unordered(_run_share, shares):
                report.merge(part)
    took = time.monotonic() - began
    print(f"{report.worlds} worlds, {report.cycles} cycles in {took:.0f} s")
    for fact, worlds in sorted(report.content.items()):
        print(f"  {worlds:8} {fact}")
    for line in report.in_words():
        print(line)
    return 1 if report.failures else 0


def _run_share(seeds: range) -> Report:
    report = Report()
    for seed in seeds:
        report.add(seed)
    return report


def _show(seed: int, *, verbose: bool, smaller: bool) -> int:
    spec = generation.world(seed)
    failures = trial.run(spec).failures
    if smaller and failures:
        spec = trial.smaller(spec, failures[0])
    for line in in_words(spec):
        print(line)
    outcome = trial.run(spec, judge=_Narrator() if verbose else Judge())
    for failure in outcome.failures:
        print(f"{failure.promise}: {failure.kind}: {failure.detail}")
    return 0


def _say(play: Play, text: str) -> None:
    print(f"{(play.now - 1_000) / 1000:9.1f} s  {text}")


if __name__ == "__main__":
    sys.exit(main())
