"""Reads a command line by kubectl's habits: usage errors are one line, with the nearest name.

An error names what was not understood, suggests the flag that was probably meant, and points to the
help. Exit code 2.
"""

import argparse
import contextlib
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from elasticquota_cli.failures import nearest


_USAGE_ERROR = 2


class _Formatter(argparse.HelpFormatter):
    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        """Name the words of an object once: ``KIND NAME`` says how many they are."""
        if action.nargs == argparse.ONE_OR_MORE:
            return str(action.metavar or default_metavar)
        return super()._format_args(action, default_metavar)


class Parser(argparse.ArgumentParser):
    """The parser of one verb; flags and names may stand in any order."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False, formatter_class=_Formatter)
        self.examples: Sequence[str] = ()
        """Whole command lines, for the end of the help."""

    def format_help(self) -> str:
        """The help of argparse, and the examples below it."""
        lines = "".join(f"  {each}\n" for each in self.examples)
        return super().format_help() + (f"\nexamples:\n{lines}" if lines else "")

    def read(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The values of all arguments; ends the process with 2 after a usage error."""
        # Names may stand between flags, which argparse allows for parsers without subcommands.
        read = self.parse_known_args if self._subparsers else self.parse_known_intermixed_args
        given, unknown = read(arguments)
        for each in unknown:
            if each.startswith("-") and each != "-":
                flag = each.partition("=")[0]
                self.error(f"unknown flag {flag}{nearest.hint(flag, self.flags())}")
        if unknown:
            self.error(f"'{unknown[0]}' is one argument too many")
        return given

    def action_of(self, flag: str) -> argparse.Action | None:
        """The action of a flag as it is typed."""
        return self._option_string_actions.get(flag)

    def positional(self) -> list[argparse.Action]:
        """The arguments that are no flags, in order."""
        return [action for action in self._actions if not action.option_strings]

    def inner(self, words: Sequence[str]) -> "tuple[Parser, list[str]] | None":
        """The parser of the subcommand that the words name, and the words after it."""
        for action in self.positional():
            choices = action.choices
            for index, word in enumerate(words):
                found = choices.get(word) if isinstance(choices, dict) else None
                if isinstance(found, Parser):
                    return found, [*words[index + 1 :]]
        return None

    def parted(self, words: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
        """The values of flags by their destination, and the other words, of an unfinished line."""
        values: dict[str, Any] = {}
        others: list[str] = []
        rest = iter(words)
        for word in rest:
            flag, equals, value = word.partition("=")
            action = self.action_of(flag) if flag.startswith("-") else None
            if action is None:
                others.append(word)
            elif action.nargs == 0:
                values[action.dest] = True
            else:
                text = value if equals else next(rest, "")
                with contextlib.suppress(argparse.ArgumentTypeError):
                    values[action.dest] = action.type(text) if callable(action.type) else text
        return values, others

    def flags(self) -> list[str]:
        """All flags of the verb, as they are typed."""
        return [flag for action in self._actions for flag in action.option_strings]

    def error(self, message: str) -> NoReturn:
        """Print the error and where the help is, and end the process."""
        program, _, _ = self.prog.partition(" [")
        print(f"error: {message}", file=sys.stderr)
        print(f"See '{program} --help' for usage.", file=sys.stderr)
        sys.exit(_USAGE_ERROR)
