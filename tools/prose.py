"""Refuses the forms of docs/contributing/style.md: ``python -m prose [path ...]``.

It reads comments, docstrings, sentences in strings and names of tests in Python; Markdown without
code; and comments of YAML, templates, TOML and Make. Text in backticks and quotations of other
programs between ``“ ”`` are left alone. A line that has to keep a form ends with ``prose: keep``.
Without a path it checks names too: no class name twice in the product (``class_names``), no
``found`` in a long function (``local_names``), and none of the forms in a name (``identifiers``).
"""

import argparse
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import class_names
import identifiers
import local_names
from docs_site import links


ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "contributing" / "style.md"
SECTION: Final = "## Words that the check refuses"
KEEP: Final = "prose: keep"
HASH_COMMENTS: Final = (".yaml", ".yml", ".toml", ".tpl", ".cfg", "Makefile", "Dockerfile")

_CODE: Final = re.compile(r"`+[^`]*`+|“[^”]*”|\]\([^)]*\)|<!--.*?-->|https?://\S+")
_SENTENCE: Final = re.compile(r"[A-Za-z]+ [a-z]+ [a-z]+")


class Finding(NamedTuple):
    """One refused form: where it stands, what it is, and what to write instead."""

    path: str
    line: int
    form: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.form!r}: write {self.instead}"


class Style:
    """The forms of docs/contributing/style.md, matched as whole words without regard to case."""

    def __init__(self, page: str) -> None:
        """Raises ``ValueError`` when the page has no table under the section."""
        self._instead: dict[str, str] = {}
        for row in page.partition(SECTION)[2].splitlines():
            cells = [cell.strip() for cell in row.strip("|").split("|")]
            if row.startswith("| ") and len(cells) == 2 and cells[0] != "do not write":
                self._instead |= dict.fromkeys(map(str.strip, cells[0].split(",")), cells[1])
        if not self._instead:
            raise ValueError(f"the page of style has no table of words under {SECTION!r}")
        forms = sorted(self._instead, key=len, reverse=True)
        words = "|".join(re.escape(form).replace(r"\ ", r"\s+") for form in forms)
        self._pattern = re.compile(rf"(?<![\w-])({words})(?![\w-])", re.IGNORECASE)

    def findings(self, path: str, line: int, text: str) -> Iterator[Finding]:
        """The refused forms in ``text``, whose first line is ``line`` of ``path``."""
        readable = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
        for found in self._pattern.finditer(readable):
            at = readable.count("\n", 0, found.start())
            form = re.sub(r"\s+", " ", found[0].lower())
            yield Finding(path, line + at, form, self._instead[form])


def in_python(style: Style, path: str, source: str) -> Iterator[Finding]:
    """Findings in comments, strings that hold a sentence, and names of tests."""
    previous = ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield from style.findings(path, token.start[0], token.string)
        elif token.type in (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)):
            if _SENTENCE.search(token.string):
                yield from style.findings(path, token.start[0], token.string)
        elif token.type == tokenize.NAME:
            if previous in ("def", "class") and token.string.lower().startswith("test"):
                yield from style.findings(path, token.start[0], token.string.replace("_", " "))
            previous = token.string


def in_markdown(style: Style, path: str, text: str) -> Iterator[Finding]:
    """Findings outside of code blocks."""
    lines = ("\n" if is_code else line for is_code, line in links.lines(text))
    yield from style.findings(path, 1, "".join(lines))


def in_comments(style: Style, path: str, text: str) -> Iterator[Finding]:
    """Findings behind ``#``."""
    for number, line in enumerate(text.splitlines(), 1):
        _, hash_sign, comment = line.partition("#")
        if hash_sign:
            yield from style.findings(path, number, comment)


def look(style: Style, path: Path) -> Iterator[Finding]:
    """Findings in one file of the repository, except on kept lines; other types have none."""
    if path == PAGE:
        return
    reader = in_python if path.suffix == ".py" else in_markdown if path.suffix == ".md" else None
    if reader is None and path.name.endswith(HASH_COMMENTS):
        reader = in_comments
    name = path.relative_to(ROOT).as_posix()
    if reader is not None:
        text = path.read_text("utf-8")
        lines = text.split("\n")
        for finding in reader(style, name, text):
            if KEEP not in lines[finding.line - 1]:
                yield finding


def main() -> int:
    """0 when nothing is refused, 1 with one line for each finding or name."""
    parser = argparse.ArgumentParser(
        prog="python -m prose", description="Check words by docs/contributing/style.md."
    )
    parser.add_argument("path", nargs="*", type=Path, help="files or folders; default: all")
    given = [path.resolve() for path in parser.parse_args().path]
    wanted = given or [ROOT]
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.splitlines()
    style = Style(PAGE.read_text("utf-8"))
    found = [
        finding
        for path in map(ROOT.joinpath, listed)
        if path.is_file() and any(path == one or one in path.parents for one in wanted)
        for finding in look(style, path)
    ]
    for finding in found:
        print(finding)
    if found:
        print(f"{len(found)} forms that {PAGE.relative_to(ROOT)} refuses")
    of_names = (
        []
        if given
        else [
            *class_names.faults(ROOT),
            *identifiers.faults(ROOT, style.findings),
            *local_names.faults(ROOT),
        ]
    )
    for sentence in of_names:
        print(sentence)
    return 1 if found or of_names else 0


if __name__ == "__main__":
    sys.exit(main())
