"""``history``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Lists who took what from whom in the last 24 hours, for which workload and by what right, "
        "newest first, as far as the statuses of the quotas keep it."
    )
    parser.add_argument(
        "quota", nargs="?", default="", metavar="QUOTA", help="only causes that concern this quota"
    )
    options.add_overview(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.overview import command

    return command.run("history", options.request(command.OverviewOptions, given), given.quota)
