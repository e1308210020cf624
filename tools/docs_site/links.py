"""Maps the relative links of a page to their targets on the site."""

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Final


_LINK: Final = re.compile(r"`+[^`]*`+|(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^()\s]+)(\))")
_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})")


def mapped(text: str, page: str, place: Callable[[str], str]) -> str:
    """``text`` of ``page`` with each relative link mapped by ``place``.

    ``place`` gets and returns a path from the root of the repository. Anchors stay.
    """
    folder = PurePosixPath(page).parent

    def moved(found: re.Match[str]) -> str:
        path, mark, anchor = (found[2] or "").partition("#")  # no group 2: inline code
        if not path or ":" in path:
            return found[0]
        target = normal(folder / path)
        went = place(target)
        if went == target:
            return found[0]
        return f"{found[1]}{posixpath.relpath(went, folder)}{mark}{anchor}{found[3]}"

    return "".join(line if code else _LINK.sub(moved, line) for code, line in lines(text))


def normal(path: PurePosixPath) -> str:
    """``path`` without ``..``; it must stay inside the repository."""
    found = posixpath.normpath(path)
    if found.startswith(".."):
        raise SystemExit(f"{path}: a link leaves the repository")
    return found


def lines(text: str) -> Iterator[tuple[bool, str]]:
    """Lines with their line ends, and whether each is part of a code block."""
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
            yield True, line
        elif mark and mark[1].startswith(fence) and line.strip() == mark[1]:
            fence = ""
            yield True, line
        else:
            yield bool(fence), line
