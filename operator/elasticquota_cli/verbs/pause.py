"""``pause``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Starts no more pods of a quota and of all quotas below it. What runs stays. A tree is "
        "paused on its root quota. Shows the difference, and what it starts or evicts, and asks "
        "first."
    )
    options.add_object(parser, ("quota", "tree"))
    options.add_edit(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.edit import command

    command.pause(options.request(command.EditOptions, given), paused=True)
    return 0
