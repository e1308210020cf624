"""``run``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = "PROCESS is controller, webhook, or all (both in one, for a laptop)."
    parser.add_argument("what", choices=("controller", "webhook", "all"), metavar="PROCESS")
    options.add_file(parser, "--config", "configuration (YAML); defaults without it")


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli import run as processes

    processes.run(given.what, given.config)
    return 0
