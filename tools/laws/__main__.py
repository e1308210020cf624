"""``python -m laws``: the laws with new seeds, until the time is over or one fails.

A round runs each kind of laws (``kinds``) once, with a seed of its own. The first failure ends it:
the command that repeats the failure is printed last.
"""

import argparse
import os
import secrets
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from laws.kinds import KINDS, Kind


ROOT: Final = Path(__file__).parents[2]


def main() -> int:
    """Returns 0 when all laws held until the time was over, 1 when one failed."""
    options = _parser().parse_args()
    end = time.monotonic() + 60 * options.minutes
    rounds = 0
    kinds = tuple(kind for kind in KINDS if options.only in ("", kind.name))
    for kind, seed in seeds(kinds, lambda: secrets.randbelow(2**32)):
        if time.monotonic() >= end:
            break
        print(f"== {kind.name}, seed {seed}", flush=True)
        code, output = _run(kind.command(seed, []), kind.path)
        if code:
            print(f"\nto repeat it: {repeated(kind, seed, output)}")
            return 1
        rounds += 1
    print(f"all laws held with {rounds} seeds")
    return 0


def seeds(kinds: tuple[Kind, ...], new: Callable[[], int]) -> Iterator[tuple[Kind, int]]:
    """Yield the kinds in turn without end, each with a new seed."""
    while True:
        for kind in kinds:
            yield kind, new()


def repeated(kind: Kind, seed: int, output: str) -> str:
    """The command that repeats a failure, of the laws that ``output`` names as failed."""
    laws = list(dict.fromkeys(kind.failed.findall(output)))
    path = f"PYTHONPATH={kind.path} " if kind.path else ""
    return path + shlex.join([".venv/bin/python", *kind.command(seed, laws)])


def _run(words: list[str], path: str) -> tuple[int, str]:
    """Run a program, and print what it says while it runs; returns its code and all it said."""
    said = []
    with subprocess.Popen(
        [sys.executable, *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": path} if path else None,
    ) as program:
        for line in program.stdout or ():
            print(line, end="", flush=True)
            said.append(line)
    return program.returncode, "".join(said)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make laws", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="how long; a round is finished")
    names = [kind.name for kind in KINDS]
    parser.add_argument("--only", choices=names, default="", help="this kind of laws and no other")
    return parser


if __name__ == "__main__":
    sys.exit(main())
