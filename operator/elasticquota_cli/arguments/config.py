"""``config``: checks a configuration file, or prints the effective configuration.

``check`` exits with 0, with 1 when the file has faults (each on a line of its own), and with 2 when
it cannot be read. ``show`` prints YAML, which is a configuration file again.
"""

import sys
from pathlib import Path
from typing import Final

from elasticquota_cli.failures.failure import BAD_INPUT, Failure
from elasticquota_config import model, text
from elasticquota_config.model import Configuration, ConfigurationError, UnreadableError


STANDARD_INPUT: Final = "-"


def chosen(file: Path | None) -> Configuration | None:
    """The configuration that other verbs are given with ``--config``; raises `Failure`."""
    try:
        return model.load(file) if file else None
    except ConfigurationError as error:
        raise Failure(str(error), BAD_INPUT) from None


def check(file: str) -> None:
    """Check the file and print that it is good; raises `Failure`."""
    _load(file)
    print(f"{file}: good")


def show(file: str | None) -> None:
    """Print the effective configuration of the file, or the defaults; raises `Failure`."""
    print(text.effective(_load(file) if file else Configuration()))


def show_defaults() -> None:
    """Print all keys with their defaults and meanings."""
    print(text.explained())


def _load(file: str) -> Configuration:
    try:
        if file == STANDARD_INPUT:
            return model.decode(sys.stdin.buffer.read())
        return model.load(Path(file))
    except UnreadableError as error:
        raise Failure(str(error), BAD_INPUT) from None
    except ConfigurationError as error:
        raise Failure(str(error)) from None
