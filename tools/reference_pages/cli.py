"""The page of the command line, from its parsers.

No text of argparse is copied: it differs between versions of Python.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from elasticquota_cli.verbs import VERBS
from reference_pages.tables import code, prose, table


_OF_LOGIN: Final = ("kubeconfig", "context", "cluster", "user", "as", "as-group")
"""Options that many commands have, all of them or none; they are listed once."""
_LOGIN: Final = "Options of a login"
_PROGRAM: Final = "kubectl elastic-quota"
_HEAD: Final = ("argument", "may be", "default", "meaning")
_INTRO: Final = """# Command line

`elastic-quota` and `kubectl elastic-quota` are the same program. `-h` after each command prints its
options.

"""


def page(_root: Path) -> str:
    return _INTRO + "".join(_verbs())


def _verbs() -> Iterator[str]:
    yield table(
        ("command", "what it does"),
        [(_jump(_PROGRAM, each.name), prose(each.does)) for each in VERBS],
    )
    of_login: list[tuple[str, ...]] = []
    for verb in VERBS:
        parser = verb.parser(_PROGRAM)
        of_login = of_login or [row for row in _rows(parser) if _is_of_login(row)]
        yield from _command(parser, f"{_PROGRAM} {verb.name}", verb.does)
        yield "\n".join(("```sh", *parser.examples, "```", "", ""))
    yield f"## {_LOGIN}\n\n{table(_HEAD, of_login)}"


def _commands(parser: argparse.ArgumentParser, name: str) -> Iterator[str]:
    for action in parser._actions:  # noqa: SLF001 - argparse has no other list of them
        if not isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            continue
        helps = {each.dest: each.help or "" for each in action._choices_actions}  # noqa: SLF001
        rows = [(_jump(name, verb), prose(helps.get(verb, ""))) for verb in action.choices]
        yield table(("command", "what it does"), rows)
        for verb, inner in action.choices.items():
            yield from _command(inner, f"{name} {verb}", helps.get(verb, ""))


def _jump(name: str, verb: str) -> str:
    full = f"{name} {verb}"
    return f"[`{full}`](#{full.replace(' ', '-')})"


def _command(parser: argparse.ArgumentParser, name: str, brief: str) -> Iterator[str]:
    yield f"## {name}\n\n"
    said = parser.description or f"{brief[:1].upper()}{brief[1:]}."
    yield f"{prose(said)}\n\n"
    rows = _rows(parser)
    own = [row for row in rows if not _is_of_login(row)]
    if own:
        yield table(_HEAD, own)
    if own != rows:
        yield f"And the [options of a login](#{_LOGIN.lower().replace(' ', '-')}).\n\n"
    if parser.epilog:
        yield f"{prose(parser.epilog)}\n\n"
    yield from _commands(parser, name)


def _rows(parser: argparse.ArgumentParser) -> list[tuple[str, ...]]:
    return [row for action in parser._actions for row in _row(action)]  # noqa: SLF001


def _is_of_login(row: tuple[str, ...]) -> bool:
    return row[0].strip("`").removeprefix("--") in _OF_LOGIN


def _row(action: argparse.Action) -> Iterator[tuple[str, ...]]:
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
