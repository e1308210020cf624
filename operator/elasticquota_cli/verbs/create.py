"""``create``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Creates a quota: create quota NAME. Shows what is created, with what admission fills in, "
        "and asks first."
    )
    parser.epilog = "Exit codes: 0 done; 1 refused, or nothing was created; 2 bad input."
    options.add_object(parser, ("quota",), "quota NAME", "the word quota, and the new name")
    parser.add_argument("--parent", default="", metavar="QUOTA", help="the quota above it")
    parser.add_argument("--is-parent", action="store_true", help="it holds quotas, and no pods")
    _add_amounts(parser, "--min", "what it is guaranteed, such as cpu=4,memory=8Gi")
    _add_amounts(parser, "--max", "what it may reach")
    _add_amounts(parser, "--weight", "its shared weight; max without it")
    options.add_edit(parser, "namespace of the quota; that of the context without it")


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.edit import command

    command.create(options.request(command.Request, given), vars(given))
    return 0


def _add_amounts(parser: argparse.ArgumentParser, option: str, text: str) -> None:
    parser.add_argument(option, action="append", default=[], metavar="KEY=AMOUNT,…", help=text)
