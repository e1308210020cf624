"""``pause``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Starts no more pods of a quota and of all quotas below it. What runs stays. A tree is "
        "paused on its root quota. Shows the difference and asks first."
    )
    parser.epilog = "Exit codes: 0 done; 1 refused, or nothing was changed; 2 bad input."
    options.add_object(parser, ("quota", "tree"))
    options.add_namespace(parser, options.OF_QUOTA)
    options.add_consent(parser)
    options.add_login(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.edit import command

    command.pause(options.request(command.Request, given), paused=True)
    return 0
