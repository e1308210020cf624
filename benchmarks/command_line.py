"""How fast the command line starts: the help of each verb, and the first request to a cluster.

    PYTHONPATH=operator:tests/support python -m benchmarks.command_line

``user`` is processor time, which other programs on the machine change little; ``wall`` is the time
that a user waits. Medians of eleven turns after one that fills the caches.
"""

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from elasticquota_cli.verbs import VERBS


_TURNS: Final = 11
_GOAL: Final = 0.15
_PROGRAM: Final = (str(Path(sys.executable).with_name("elastic-quota")),)


def main() -> None:
    print(f"{'what':24}{'wall, s':>10}{'user, s':>10}   goal {_GOAL} s")
    for verb in VERBS:
        _row(f"{verb.name} --help", (verb.name, "--help"))
    _row("simulate, two teams", ("simulate", "-f", "examples/simulate/cluster.yaml"))
    nowhere = ("--cluster", "c", "--user", "u", "--kubeconfig", "/dev/null")
    _row("tree, until the login", ("tree", *nowhere))


def _row(title: str, words: Sequence[str]) -> None:
    turns = [_turn(words) for _ in range(_TURNS + 1)][1:]
    wall, user = (statistics.median(each) for each in zip(*turns, strict=True))
    print(f"{title:24}{wall:10.3f}{user:10.3f}", flush=True)


def _turn(words: Sequence[str]) -> tuple[float, float]:
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*_PROGRAM, *words], capture_output=True, check=False, env=os.environ)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, spent


if __name__ == "__main__":
    main()
