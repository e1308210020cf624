"""``python -m mutation MUTMUT``: change rules in every small way; a test must fail.

mutmut wants sources in ``src``, and tests that import them only from there. So it gets a copy in
``.cache/mutants``, and the repository is not touched. ``setup.cfg`` beside this file has its
settings, and ``README.md`` explains the survivors.
"""

import argparse
import configparser
import os
import secrets
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import product_modules
from mutation import selection


ROOT: Final = Path(__file__).parents[2]
TREE: Final = ROOT / ".cache" / "mutants" / "tree"
TESTS: Final = ("unit", "properties", "seeds", "vectors", "support")
LEAST_DETECTED: Final = 95
"""Percent of the mutants of each package; a mutant that never ends counts as detected."""


class UndecidedError(Exception):
    """mutmut gave no result; its output says why."""


def main() -> int:
    """Returns 0 when enough mutants were detected, 1 when too few, 2 without a result of mutmut."""
    options = _parser().parse_intermixed_args()
    _lay_out(options.names)
    began = time.monotonic()
    try:
        names = _chosen(options)
        _run(options.mutmut, "run", "--max-children", "1", *names)
        return _judge(options.mutmut, names, round(time.monotonic() - began))
    except UndecidedError as error:
        print(error, file=sys.stderr)
        return 2


def _chosen(options: argparse.Namespace) -> list[str]:
    """The names of the mutants to try; says how to repeat a sample."""
    script = str(Path(__file__).with_name("list_names.py"))
    listed = _run(options.mutmut.with_name("python"), script, quiet=True).splitlines()
    try:
        names = selection.matching(listed, options.names)
    except ValueError as error:
        raise UndecidedError(str(error)) from error
    if not options.sample:
        return names
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    sample = selection.sample(names, options.sample, seed)
    print(f"a sample of {len(sample)} of {len(names)} mutants; to repeat it: --seed {seed}")
    return sample


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mutation",
        description="Change rules in every small way and check that a test fails.",
    )
    parser.add_argument("mutmut", type=Path, help="the program")
    parser.add_argument(
        "names",
        nargs="*",
        help="only these: a package of elasticquota (ledger), or mutants by name, * for anything",
    )
    parser.add_argument("--sample", type=int, metavar="N", help="try N of each package, by chance")
    parser.add_argument("--seed", type=int, help="repeat the sample that printed this seed")
    return parser


def _lay_out(words: list[str]) -> None:
    shutil.rmtree(TREE, ignore_errors=True)
    for source in product_modules.FOLDERS:
        shutil.copytree(ROOT / source, TREE / "src", dirs_exist_ok=True)
    for folder in TESTS:
        shutil.copytree(ROOT / "tests" / folder, TREE / "tests" / folder)
    shutil.copy(ROOT / "pyproject.toml", TREE)
    settings = configparser.ConfigParser()
    settings.read(Path(__file__).with_name("setup.cfg"), "utf-8")
    files = settings["mutmut"]["only_mutate"].splitlines()
    # What is not mutated runs at full speed.
    settings["mutmut"]["only_mutate"] = "\n".join(selection.files(files, words))
    with (TREE / "setup.cfg").open("w", encoding="utf-8") as target:
        settings.write(target)


def _judge(mutmut: Path, names: list[str], seconds: int) -> int:
    """Print the survivors with their changes and a table; returns 1 if there are too many."""
    wanted = set(names)
    verdicts = {
        name: verdict
        for line in _run(mutmut, "results", "--all", "true", quiet=True).splitlines()
        for name, _, verdict in [line.strip().partition(": ")]
        if name in wanted
    }
    for name, verdict in verdicts.items():
        if verdict not in selection.DETECTED:
            print(f"\n{name}: {verdict}\n{_run(mutmut, 'show', name, quiet=True)}")
    table = selection.Table.of(verdicts)
    print(f"{table}\n\n{seconds} s; at least {LEAST_DETECTED}% of each package have to be detected")
    return 0 if table.least() >= LEAST_DETECTED else 1


def _run(program: Path, *words: str, quiet: bool = False) -> str:
    """Run a program in mutmut's tree; returns its output if ``quiet``, else it is printed."""
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
        raise UndecidedError(f"{program.name} {words[0]} ended with {done.returncode}")
    return done.stdout or ""


if __name__ == "__main__":
    sys.exit(main())
