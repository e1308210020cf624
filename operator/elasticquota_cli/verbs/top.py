"""``top``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Shows which quotas borrow and lend how much, whose pods were evicted in the last 24 "
        "hours, and for whom, also by hour. The figures are those that the controller publishes."
    )
    parser.epilog = (
        "Exit codes: 0 done; 1 you may not list quotas there, or there is no cluster; 2 bad input."
    )
    options.add_namespace(parser, "quotas of this namespace; that of the context without it")
    options.add_all_namespaces(parser)
    options.add_manifests(parser, options.INSTEAD_OF_A_CLUSTER)
    options.add_output(parser, "table", "wide", "json", "yaml", "name")
    options.add_login(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.overview import command

    return command.run("top", options.request(command.Request, given))
