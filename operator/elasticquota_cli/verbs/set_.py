"""``set``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Sets min, max or the shared weight of a quota for some resources. KEY=AMOUNT sets one, "
        "KEY- removes one, and the others stay. Shows the difference and asks first."
    )
    parser.add_argument(
        "what", choices=("min", "max", "weight"), metavar="WHAT", help="min, max or weight"
    )
    options.add_object(
        parser,
        ("quota",),
        "QUOTA KEY=AMOUNT ...",
        "the name of the quota, and amounts such as cpu=4, memory=8Gi or gpu-",
    )
    options.add_edit(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.edit import command

    command.assign(options.request(command.Request, given), given.what)
    return 0
