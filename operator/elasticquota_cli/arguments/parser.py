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


class Parser(argparse.ArgumentParser):
    """The parser of one verb; flags and names may stand in any order."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)

    def read(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The values of all arguments; ends the process with 2 after a usage error."""
        given, unknown = self.parse_known_args(arguments)
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
