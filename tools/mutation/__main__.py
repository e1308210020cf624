"""``python -m mutation MUTMUT``: mutate sharing and forest in every small way; a test must fail.

mutmut wants sources in ``src``, and tests that import them only from there. So it gets a copy in
``.cache/mutants``, and the repository is not touched. ``setup.cfg`` beside this file has its
settings. ``docs/mutants.md`` explains the survivors.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Final


ROOT: Final = Path(__file__).parents[2]
TREE: Final = ROOT / ".cache" / "mutants" / "tree"
TESTS: Final = ("unit", "properties", "seeds", "vectors", "support")
LEAST_KILLED: Final = 95
"""Percent of all mutants; a mutant that never ends counts as killed."""


class UndecidedError(Exception):
    """mutmut gave no result; its output says why."""


def main() -> int:
    """Returns 0 when enough mutants were killed, 1 when too few, 2 when mutmut gave no result."""
    parser = argparse.ArgumentParser(
        prog="python -m mutation",
        description="Mutate sharing and forest in every small way and check that a test fails.",
    )
    parser.add_argument("mutmut", type=Path, help="the program")
    parser.add_argument("names", nargs="*", help="only these mutants; * stands for anything")
    options = parser.parse_args()
    _lay_out()
    began = time.monotonic()
    try:
        _mutmut(options.mutmut, "run", "--max-children", "1", *options.names)
        seconds = round(time.monotonic() - began)
        return 0 if options.names else _judge(options.mutmut, seconds)
    except UndecidedError as error:
        print(error, file=sys.stderr)
        return 2


def _lay_out() -> None:
    shutil.rmtree(TREE, ignore_errors=True)
    for source in ("operator", "webhooks"):
        shutil.copytree(ROOT / source, TREE / "src", dirs_exist_ok=True)
    for folder in TESTS:
        shutil.copytree(ROOT / "tests" / folder, TREE / "tests" / folder)
    shutil.copy(ROOT / "pyproject.toml", TREE)
    shutil.copy(Path(__file__).with_name("setup.cfg"), TREE)


def _judge(mutmut: Path, seconds: int) -> int:
    """Print the survivors and their changes, and whether they are few enough."""
    for line in _mutmut(mutmut, "results", quiet=True).splitlines():
        name, _, verdict = line.strip().partition(": ")
        if verdict != "timeout":
            print(f"\n{line.strip()}\n{_mutmut(mutmut, 'show', name, quiet=True)}")
    _mutmut(mutmut, "export-cicd-stats", quiet=True)
    found = json.loads((TREE / "mutants" / "mutmut-cicd-stats.json").read_text("utf-8"))
    noticed = found["killed"] + found["timeout"]
    percent = 100 * noticed / found["total"]
    print(
        f"{found['total']} mutants in {seconds} s: {found['killed']} killed, "
        f"{found['timeout']} timed out, {found['total'] - noticed} survived; "
        f"{percent:.1f}% noticed, {LEAST_KILLED}% asked for"
    )
    return 0 if percent >= LEAST_KILLED else 1


def _mutmut(program: Path, *words: str, quiet: bool = False) -> str:
    """Run mutmut in its tree; returns its output if ``quiet``, else mutmut prints it."""
    done = subprocess.run(
        [str(program.absolute()), *words],
        cwd=TREE,
        env={
            **os.environ,
            "HYPOTHESIS_PROFILE": "mutants",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": str(Path(__file__).parents[1]),
        },
        stdout=subprocess.PIPE if quiet else None,
        text=True,
        check=False,
    )
    if done.returncode:
        raise UndecidedError(f"mutmut {words[0]} ended with {done.returncode}")
    return done.stdout or ""


if __name__ == "__main__":
    sys.exit(main())
