"""``pending``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Lists the quotas in which pods wait: how many, what they need, for how long the oldest "
        "waits, why the first in the queue waits, and when it may start."
    )
    options.add_overview(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.overview import command

    return command.run("pending", options.request(command.OverviewOptions, given))
