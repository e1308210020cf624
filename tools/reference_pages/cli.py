"""The page of the command line, from its parsers.

No text of argparse is copied: it differs between versions of Python.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from elasticquota_cli.verbs import VERBS
from reference_pages.tables import code, prose, table


_OF_LOGIN: Final = ("kubeconfig", "context", "cluster", "user", "as", "as-group")
"""Options that many commands have, all of them or none; they are listed once."""
_LOGIN: Final = "Options of a login"
_COMMON: Final = "Common options"
_OUTPUT: Final = "`--output`"
_WORD: Final = re.compile(r"\w+")
_FEW: Final = 3
"""A row that fewer commands share stands with each of them."""
_PROGRAM: Final = "kubectl elastic-quota"
_HEAD: Final = ("argument", "meaning")
_INTRO: Final = """# Command line

`elastic-quota` and `kubectl elastic-quota` are the same program. `-h` after each command prints its
options. Where no more is said, it exits with 0 when done and with 2 for bad input.

"""
_WORDS: Final = """`-o` is `--output`. Its format `wide` has all columns and rows, `name` only the
names of the objects, as kubectl takes them.

"""

Row = tuple[str, ...]


def page() -> str:
    return _INTRO + "".join(_verbs())


def _verbs() -> Iterator[str]:
    yield f"{', '.join(_jump(_PROGRAM, each.name) for each in VERBS)}.\n\n"
    parsers = [(verb, verb.parser(_PROGRAM)) for verb in VERBS]
    rows = [row for _, parser in parsers for row in _rows(parser)]
    common = _common(rows)
    for verb, parser in parsers:
        yield from _command(parser, f"{_PROGRAM} {verb.name}", verb.does, common)
        yield "\n".join(("```sh", *parser.examples, "```", "", ""))
    yield f"## {_COMMON}\n\n{_WORDS}{_arguments(common.values())}"
    of_login = {row[0]: row for row in rows if _is_of_login(row)}
    yield f"## {_LOGIN}\n\n{_arguments(of_login.values())}"


def _common(rows: Sequence[Row]) -> dict[str, Row]:
    """The rows that several commands share, one for each option: the one of most commands."""
    found: dict[str, Row] = {}
    for row, count in Counter(rows).most_common():
        several = count >= _FEW and row[0].startswith("`-")
        if several and not _is_of_login(row) and not row[0].endswith(_OUTPUT):
            found.setdefault(row[0], row)
    return found


def _commands(
    parser: argparse.ArgumentParser, name: str, common: Mapping[str, Row]
) -> Iterator[str]:
    for action in parser._actions:  # noqa: SLF001 - argparse has no other list of them
        if not isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            continue
        helps = {each.dest: each.help or "" for each in action._choices_actions}  # noqa: SLF001
        rows = [(_jump(name, verb), prose(helps.get(verb, ""))) for verb in action.choices]
        yield table(("command", "what it does"), rows)
        for verb, inner in action.choices.items():
            yield from _command(inner, f"{name} {verb}", helps.get(verb, ""), common)


def _jump(name: str, verb: str) -> str:
    return f"[`{verb}`](#{_anchor(f'{name} {verb}')})"


def _command(
    parser: argparse.ArgumentParser, name: str, brief: str, common: Mapping[str, Row]
) -> Iterator[str]:
    yield f"## {name}\n\n"
    said = parser.description or f"{brief[:1].upper()}{brief[1:]}."
    yield f"{prose(said)}\n\n"
    rows = _rows(parser)
    shared = [row for row in rows if common.get(row[0]) == row]
    outputs = [row for row in rows if row[0].endswith(_OUTPUT)]
    of_login = [row for row in rows if _is_of_login(row)]
    if own := [row for row in rows if row not in (*shared, *outputs, *of_login)]:
        yield _arguments(own)
    also = [f"[common](#{_anchor(_COMMON)}) {', '.join(row[0].split(', ')[-1] for row in shared)}"]
    also = [*(also if shared else ()), *(f"[login](#{_anchor(_LOGIN)})" for _ in of_login[:1])]
    lines = [f"Output with `-o`: {_formats(row)}." for row in outputs]
    lines += [f"Also: {'; '.join(also)}."] if also else []
    if lines:
        yield "\n\n".join((*lines, ""))
    if parser.epilog:
        yield f"{prose(_exits(parser.epilog))}\n\n"
    yield from _commands(parser, name, common)


def _arguments(rows: Iterable[Row]) -> str:
    return table(_HEAD, map(_cells, rows))


def _cells(row: Row) -> tuple[str, str]:
    """What may follow stands after the name, except where the meaning or the name says it."""
    names, wanted, default, meaning = row
    said = wanted == names or set(wanted.replace("`", "").split(", ")) <= set(
        _WORD.findall(meaning)
    )
    shown = names if said or not wanted else f"{names} {wanted}"
    return shown, f"{meaning}; default {default}" if default else meaning


def _exits(epilog: str) -> str:
    """The exit codes without those that most commands have."""
    return " ".join(epilog.split()).replace(" 0 done;", "").replace("; 2 bad input.", ".")


def _formats(row: Row) -> str:
    """The formats of an output; the first is the one that counts without the option."""
    _, formats, default, _ = row
    others = [each for each in formats.split(", ") if each != default]
    return ", ".join((f"{default} (default)", *others))


def _anchor(heading: str) -> str:
    return heading.lower().replace(" ", "-")


def _rows(parser: argparse.ArgumentParser) -> list[Row]:
    return [row for action in parser._actions for row in _row(action)]  # noqa: SLF001


def _is_of_login(row: Row) -> bool:
    return row[0].strip("`").removeprefix("--") in _OF_LOGIN


def _row(action: argparse.Action) -> Iterator[Row]:
    if isinstance(action, argparse._HelpAction | argparse._SubParsersAction):  # noqa: SLF001
        return
    typed = str(action.metavar or action.dest)
    names = ", ".join(map(code, action.option_strings)) or code(typed)
    choices = ", ".join(code(str(each)) for each in action.choices or ())
    wanted = choices or ("" if action.nargs == 0 else code(typed if action.metavar else "TEXT"))
    default = action.default if isinstance(action.default, str) and action.default else ""
    meaning = prose(action.help or "")
    if action.required and action.option_strings:
        meaning = f"{meaning} (required)".strip()
    yield names, wanted, code(default), meaning
