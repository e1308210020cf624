"""``python -m laws``: the laws with new seeds, until the time is over or one fails.

A round runs each kind of laws (``kinds``) once, with a seed of its own. The first failure ends it:
the command that repeats the failure is printed last.
"""

import argparse
import re
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
_FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


def main() -> int:
    """Returns 0 when all laws held until the time was over, 1 when one failed."""
    options = _parser().parse_args()
    end = time.monotonic() + 60 * options.minutes
    rounds = 0
    for kind, seed in seeds(KINDS, lambda: secrets.randbelow(2**32)):
        if time.monotonic() >= end:
            break
        print(f"== {kind.name}, seed {seed}", flush=True)
        code, output = _run(kind.command(seed, []))
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
    laws = list(dict.fromkeys(_FAILED.findall(output)))
    return shlex.join([".venv/bin/python", *kind.command(seed, laws)])


def _run(words: list[str]) -> tuple[int, str]:
    """Run a program, and print what it says while it runs; returns its code and all it said."""
    said = []
    with subprocess.Popen(
        [sys.executable, *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as program:
        for line in program.stdout or ():
            print(line, end="", flush=True)
            said.append(line)
    return program.returncode, "".join(said)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make laws", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="how long; a round is finished")
    return parser


if __name__ == "__main__":
    sys.exit(main())
