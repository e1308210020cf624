"""``run``: its arguments."""

import argparse
from typing import Final

from elasticquota_cli.arguments import options
from elasticquota_cli.failures.failure import Failure


_PROCESSES: Final = ("elasticquota_operator", "elasticquota_webhooks")


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = "Runs a process: controller, webhook, or all (both in one, for a laptop)."
    parser.add_argument("what", choices=("controller", "webhook", "all"), metavar="PROCESS")
    options.add_file(parser, "--config", "configuration (YAML); defaults without it")


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.commands import run as processes

    try:
        processes.run(given.what, given.config)
    except ModuleNotFoundError as error:
        if error.name not in _PROCESSES:
            raise
        raise Failure(
            "this file has only the commands of users; the image runs processes"
        ) from None
    return 0
