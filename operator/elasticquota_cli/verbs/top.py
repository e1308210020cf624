"""``top``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Shows which quotas borrow and lend how much, whose pods were evicted in the last 24 "
        "hours, and for whom, also by hour. The figures are those that the controller publishes."
    )
    options.add_overview(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.overview import command

    return command.run("top", options.request(command.OverviewOptions, given))
