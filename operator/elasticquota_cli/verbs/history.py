"""``history``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Lists who took what from whom in the last 24 hours, for which workload and by what right, "
        "newest first, as far as the statuses of the quotas keep it."
    )
    parser.epilog = (
        "Exit codes: 0 done; 1 you may not list quotas there, or there is no cluster; 2 bad input."
    )
    parser.add_argument(
        "quota", nargs="?", default="", metavar="QUOTA", help="only causes that concern this quota"
    )
    options.add_namespace(parser, "quotas of this namespace; that of the context without it")
    options.add_all_namespaces(parser)
    options.add_manifests(parser, options.INSTEAD_OF_A_CLUSTER)
    options.add_output(parser, "table", "wide", "json", "yaml", "name")
    options.add_login(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.overview import command

    return command.run("history", options.request(command.Request, given), given.quota)
