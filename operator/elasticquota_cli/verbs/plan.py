"""``plan``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Tries a change in a simulation of the live cluster and changes nothing. Shows which "
        "quotas gain and lose share, which pods would be evicted and when, which guarantees would "
        "no longer be backed, and which pods start sooner. FILE is a file or a folder; '-' is "
        "standard input."
    )
    parser.epilog = (
        "Exit codes: 0 no pod would be evicted; 1 the change would be refused, or there is no "
        "cluster; 2 bad input; 3 pods would be evicted."
    )
    options.add_manifests(parser, "the change: quotas, pods, workloads, nodes", required=True)
    parser.add_argument(
        "--report",
        action="append",
        default=[],
        metavar="FILE",
        help="manifests or a bug report, instead of a cluster",
    )
    options.add_namespace(
        parser, "namespace of objects that name none; that of the context without it"
    )
    options.add_output(parser, "text", "json", "yaml", "markdown")
    options.add_login(parser)
    options.add_file(
        parser, "--config", f"{options.CONFIGURATION}, instead of the one in the cluster"
    )


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.plan import command

    return command.run(options.request(command.PlanOptions, given))
