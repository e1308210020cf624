"""``python -m break_each``: take each promised behavior away once; its test must fail.

    PYTHONPATH=tools python -m break_each [FILE ...] [--item Q7] [--cluster]

The changes are those of ``tests/breaks``. They are made in a copy below ``.cache``, never in the
checkout. Tests on the real control plane are tried only with ``--cluster``.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from evidence import breaks
from evidence.breaks import Break


ROOT: Final = Path(__file__).parents[1]
COPY: Final = ROOT / ".cache" / "breaks"
_ON_CLUSTER: Final = ("e2e/", "chart/")


def main() -> int:
    """Returns 0 when every change was noticed by its test, 1 when one was not."""
    options = _parser().parse_args()
    chosen = [
        each
        for stem, rows in breaks.by_file(ROOT).items()
        for each in rows
        if (not options.files or stem in options.files)
        and (not options.item or each.item in options.item)
    ]
    tried = [each for each in chosen if options.cluster or not each.test.startswith(_ON_CLUSTER)]
    _lay_out()
    wrong = _failing({each.test for each in tried})
    for test in wrong:
        print(f"{test}: fails without any change")
    unproven = [each for each in tried if each.test in wrong or not _noticed(each)]
    print(
        f"{len(tried) - len(unproven)} of {len(tried)} changes were noticed; "
        f"{len(chosen) - len(tried)} need --cluster"
    )
    return 1 if unproven else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m break_each",
        description="Take each promised behavior away once, and check that its test fails.",
    )
    parser.add_argument("files", nargs="*", help="only these files of tests/breaks, such as ack")
    parser.add_argument("--item", action="append", help="only this row, such as Q7")
    parser.add_argument("--cluster", action="store_true", help="also those that need a cluster")
    return parser


def _lay_out() -> None:
    shutil.rmtree(COPY, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    for name in listed.split("\0"):
        if (ROOT / name).is_file():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, COPY / name)
    (COPY / ".cache").mkdir()
    for name in (".venv", ".cache/control-plane"):
        (COPY / name).symlink_to(ROOT / name)


def _noticed(change: Break) -> bool:
    source = COPY / change.file
    before = source.read_text(encoding="utf-8")
    if before.count(change.old) != 1:
        print(f"{change.item}: the text to change is {before.count(change.old)} times in {source}")
        return False
    source.write_text(before.replace(change.old, change.new), encoding="utf-8")
    try:
        done = _pytest([change.test])
    finally:
        source.write_text(before, encoding="utf-8")
    # An error outside of the test, such as a source that cannot be imported, proves nothing.
    noticed = done.returncode == 1 and re.search(r"\b\d+ failed\b", done.stdout) is not None
    print(f"{change.item}: {'noticed' if noticed else 'NOT NOTICED'} by {change.test}")
    if not noticed:
        print(done.stdout)
    return noticed


def _failing(tests: Iterable[str]) -> set[str]:
    """The ones of ``tests`` that do not pass without any change."""
    done = _pytest(sorted(tests))
    if done.returncode == 0:
        return set()
    return {test for test in tests if _pytest([test]).returncode != 0}


def _pytest(tests: Iterable[str]) -> "subprocess.CompletedProcess[str]":
    paths = [str(COPY / folder) for folder in ("operator", "webhooks", "tools")]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider"]
        + [f"tests/{test}" for test in tests],
        cwd=COPY,
        env={
            **os.environ,
            "CI": "1",  # laws with the same examples every time
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join(paths),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


if __name__ == "__main__":
    sys.exit(main())
