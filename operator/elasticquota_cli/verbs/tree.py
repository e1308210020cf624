"""``tree``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = "Figures are used/runtime/max; '-' is no limit."
    options.add_output(parser, "table", "json")
    options.add_login(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli import tree

    tree.show(options.login(given), given.output)
    return 0
