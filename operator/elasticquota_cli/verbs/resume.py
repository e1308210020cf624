"""``resume``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Lets a paused quota and all quotas below it start pods again. A tree is resumed on its "
        "root quota. Shows the difference, and what it starts or evicts, and asks first."
    )
    options.add_object(parser, ("quota", "tree"))
    options.add_edit(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.edit import command

    command.pause(options.request(command.EditOptions, given), paused=False)
    return 0
