"""``move``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Gives a quota, with all quotas below it, another parent. Shows the difference and asks "
        "first."
    )
    options.add_object(parser, ("quota",), "QUOTA", "the name of the quota")
    parser.add_argument("--to", required=True, metavar="PARENT", help="the new parent")
    options.add_edit(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.edit import command

    command.move(options.request(command.Request, given), given.to)
    return 0
