"""``release``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Removes the scheduling gate of this operator, and no other, from all pods that wait at "
        "it, whatever their quotas say. Use it after an uninstall: it needs no controller and no "
        "webhook. While the policies of the chart exist, only the controller and break-glass "
        "groups may remove the gate. A controller that still runs counts the released pods as "
        "admitted, and evicts what exceeds the quotas as usual."
    )
    parser.epilog = "Exit codes: 0 done; 1 pods are left, or there is no cluster; 2 bad input."
    parser.add_argument(
        "--all", action="store_true", required=True, help="all pods, not only those that fit"
    )
    options.add_namespace(parser, "only pods of this namespace, instead of all")
    options.add_all_namespaces(parser, "all namespaces; so it is without -n, too")
    parser.add_argument(
        "--dry-run", action="store_true", help="print how many pods it would release, change none"
    )
    options.add_output(parser, "table", "json", "yaml", "name")
    options.add_login(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.commands import release

    release.run(options.request(release.ReleaseOptions, given))
    return 0
