"""``python -m mutation MUTMUT``: change rules in every small way; a test must fail.

mutmut writes the mutants beside a copy of the sources in ``.cache/mutants``; ``setup.cfg`` beside
this file says of which files. ``trials.py`` runs the tests of the repository against them, and
``README.md`` explains the survivors.
"""

import argparse
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import product_modules
from mutation import selection


ROOT: Final = Path(__file__).parents[2]
TREE: Final = ROOT / ".cache" / "mutants" / "tree"
MUTATED: Final = TREE / "mutants" / "src"
VERDICTS: Final = TREE / "verdicts"
LEAST_DETECTED: Final = 95
"""Percent of the mutants of each package; a mutant that never ends counts as detected."""


class UndecidedError(Exception):
    """mutmut gave no result; its output says why."""


def main() -> int:
    """Returns 0 when enough mutants were detected, 1 when too few, 2 without a result of mutmut."""
    options = _parser().parse_intermixed_args()
    _lay_out()
    began = time.monotonic()
    try:
        names = _chosen(options)
        _run(
            options.mutmut.with_name("python"),
            str(Path(__file__).with_name("trials.py")),
            str(MUTATED),
            str(VERDICTS),
            names=names,
        )
        return _judge(options.mutmut, round(time.monotonic() - began))
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


def _lay_out() -> None:
    """Copy the sources that changed: mutmut makes only their mutants again."""
    wanted = {
        path.relative_to(ROOT / folder): path
        for folder in product_modules.FOLDERS
        for path in (ROOT / folder).rglob("*.*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    if _laid_out() - wanted.keys():
        shutil.rmtree(TREE)
    for name, source in wanted.items():
        target = TREE / "src" / name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            (MUTATED / name).unlink(missing_ok=True)
    shutil.copyfile(Path(__file__).with_name("setup.cfg"), TREE / "setup.cfg")


def _laid_out() -> set[Path]:
    return {path.relative_to(TREE / "src") for path in (TREE / "src").rglob("*.*")}


def _judge(mutmut: Path, seconds: int) -> int:
    """Print the survivors with their changes and a table; returns 1 if there are too many."""
    lines = VERDICTS.read_text("utf-8").splitlines()
    verdicts = {name: verdict for name, _, verdict in (line.partition(": ") for line in lines)}
    for name, verdict in verdicts.items():
        if verdict not in selection.DETECTED:
            _, _, change = _run(mutmut, "show", name, quiet=True).partition("\n")
            print(f"\n{name}: {verdict}\n{change}")
    table = selection.Table.of(verdicts)
    print(f"{table}\n\n{seconds} s; at least {LEAST_DETECTED}% of each package have to be detected")
    return 0 if table.least() >= LEAST_DETECTED else 1


def _run(program: Path, *words: str, quiet: bool = False, names: Iterable[str] = ()) -> str:
    """Run a program; returns its output if ``quiet``, else it is printed.

    It reads the names from its standard input. mutmut itself gets nothing but where it runs.
    """
    done = subprocess.run(
        [str(program.absolute()), *words],
        cwd=TREE if quiet else ROOT,
        input="\n".join(names),
        env={
            **os.environ,
            "HYPOTHESIS_PROFILE": "mutants",
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
