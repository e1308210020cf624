"""``config``: its arguments."""

import argparse

from elasticquota_cli.arguments.parser import Parser


def add(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="ACTION", parser_class=Parser
    )

    check = actions.add_parser("check", help="check a configuration file")
    check.description = "Prints a line for each fault: path, what is wrong, the nearest valid word."
    check.epilog = "Exit codes: 0 the file is good; 1 it has faults; 2 it cannot be read."
    check.add_argument(
        "-f", "--filename", required=True, metavar="FILE", help="the file (YAML); '-' is the input"
    )

    show = actions.add_parser("show", help="print the effective configuration")
    show.description = "Prints every key as YAML; a comment names the default of a changed value."
    what = show.add_mutually_exclusive_group()
    what.add_argument(
        "-f", "--filename", metavar="FILE", help="the file (YAML); without it, the defaults"
    )
    what.add_argument(
        "--defaults", action="store_true", help="the defaults, with the meaning of every key"
    )


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.arguments import config

    if given.action == "check":
        config.check(given.filename)
    elif given.defaults:
        config.show_defaults()
    else:
        config.show(given.filename)
    return 0
