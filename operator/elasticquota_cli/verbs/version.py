"""``version``: prints the version of the distribution that is installed."""

import argparse
from importlib import metadata
from typing import Final


_DISTRIBUTION: Final = "elastic-quota-operator"


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = "Prints the version."


def run(_given: argparse.Namespace) -> int:
    print(f"elastic-quota {metadata.version(_DISTRIBUTION)}")
    return 0
