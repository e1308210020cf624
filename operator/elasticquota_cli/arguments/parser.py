"""Reads a command line by kubectl's habits: usage errors are one line, with the nearest name.

An error names what was not understood, suggests the flag that was probably meant, and points to the
help. Exit code 2.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from elasticquota_cli import nearest


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

    def flags(self) -> list[str]:
        """All flags of the verb, as they are typed."""
        return [flag for action in self._actions for flag in action.option_strings]

    def error(self, message: str) -> NoReturn:
        """Print the error and where the help is, and end the process."""
        program, _, _ = self.prog.partition(" [")
        print(f"error: {message}", file=sys.stderr)
        print(f"See '{program} --help' for usage.", file=sys.stderr)
        sys.exit(_USAGE_ERROR)
