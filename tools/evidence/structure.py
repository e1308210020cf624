"""The tables of docs/evidence/structure.md: figures of both states, and the files of each walk."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from evidence import imports
from evidence.imports import Structure


PAGE: Final = "docs/evidence/structure.md"
NOW: Final = "docs/evidence/structure-now.svg"
WALKS_NOW: Final = "docs/evidence/walks-now.tsv"
WALKS_BEFORE: Final = "docs/evidence/walks-before.tsv"
BEFORE: Final = "docs/evidence/structure-before.tsv"
NAMES: Final = ("request", "min", "release")

_BEGIN: Final = "<!-- {}: written by tools/evidence -->\n"
_END: Final = "<!-- end -->"


class Stay(NamedTuple):
    """A function that a value passes, the file that it is in, and what that file says first."""

    file: str
    function: str
    handed: bool
    says: str


Walk = list[Stay]


def written(page: str, root: Path) -> str:
    """``page`` with its tables written again from the code and the recorded walks."""
    before = read_walks((root / WALKS_BEFORE).read_text(encoding="utf-8"))
    now = read_walks((root / WALKS_NOW).read_text(encoding="utf-8"))
    former = (root / BEFORE).read_text(encoding="utf-8").splitlines()
    page = _replaced(page, "figures", _figures(former, imports.read(root), before, now))
    for name in NAMES:
        page = _replaced(page, f"{name} before", _table(before[name]))
        page = _replaced(page, f"{name} now", _table(now[name]))
    return page


def read_walks(text: str) -> dict[str, Walk]:
    """The recorded walks, by name."""
    found: dict[str, Walk] = {}
    for line in text.splitlines():
        name, file, function, handed, says = line.split("\t")
        found.setdefault(name, []).append(Stay(file, function, bool(handed), says))
    return found


def figures(structure: Structure) -> list[str]:
    """``what<tab>figure`` of one state; that of the former state is stored."""
    packages = structure.packages.values()
    return [
        f"packages\t{len(packages)}",
        f"folders\t{sum(package.folders for package in packages)}",
        f"files\t{sum(package.files for package in packages)}",
        f"lines\t{sum(package.lines for package in packages):,}",
        f"files in the fullest folder\t{max(package.fullest for package in packages)}",
        f"imports between packages\t{sum(map(len, structure.arrows.values()))}",
        f"circles of files that import each other\t{len(structure.circles)}",
    ]


def _figures(
    former: Sequence[str], structure: Structure, before: dict[str, Walk], now: dict[str, Walk]
) -> Iterator[str]:
    yield "| | before | now |\n|---|---|---|\n"
    for then, today in zip(former, figures(structure), strict=True):
        what, _, figure = then.partition("\t")
        yield f"| {what} | {figure} | {today.partition(chr(9))[2]} |\n"
    for name in NAMES:
        for what, counted in (("files", rooms), ("stays", stays), ("only handed on", handed)):
            yield f"| walk of the {name}: {what} | {counted(before[name])} | "
            yield f"{counted(now[name])} |\n"


def rooms(walk: Walk) -> int:
    """How many files the value passes."""
    return len({stay.file for stay in walk})


def stays(walk: Walk) -> int:
    """How often it enters a file from another one."""
    return 1 + sum(a.file != b.file for a, b in pairwise(walk))


def handed(walk: Walk) -> int:
    """How many functions only hand it on."""
    return len({(stay.file, stay.function) for stay in walk if stay.handed})


def _table(walk: Walk) -> Iterator[str]:
    yield f"{rooms(walk)} files, {stays(walk)} stays. Only handed on by: "
    passed = dict.fromkeys(_code(stay) for stay in walk if stay.handed)
    yield f"{', '.join(passed) or 'no function'}.\n\n"
    yield "| | file | it says of itself | functions |\n|---|---|---|---|\n"
    for at, file in enumerate(dict.fromkeys(stay.file for stay in walk), 1):
        there = [stay for stay in walk if stay.file == file]
        functions = ", ".join(dict.fromkeys(f"`{_short(stay.function)}`" for stay in there))
        yield f"| {at} | `{file}` | “{there[0].says}” | {functions} |\n"


def _code(stay: Stay) -> str:
    return f"`{stay.file.rpartition('/')[2]}` `{_short(stay.function)}`"


def _short(function: str) -> str:
    """A function inside of another one by the names of both."""
    return function.replace(".<locals>", "").replace("<", "").replace(">", "")


def _replaced(page: str, name: str, lines: Iterator[str]) -> str:
    begin = _BEGIN.format(name)
    before, found, rest = page.partition(begin)
    if not found:
        raise SystemExit(f"{PAGE}: has no line {begin}")
    return f"{before}{begin}\n{''.join(lines)}\n{_END}{rest.partition(_END)[2]}"
