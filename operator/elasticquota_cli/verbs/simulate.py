"""``simulate``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Makes the controller's decisions on manifests, without a cluster. Shows the settled "
        "figures of the quotas, which pods wait and why, and which would be evicted. FILE is a "
        "file or a folder; '-' is standard input."
    )
    parser.epilog = (
        "Exit codes: 0 done; 1 with --strict when something is refused, waits or is evicted (with "
        "--what-if: because of the change); 2 bad input."
    )
    options.add_manifests(parser, "existing objects", required=True)
    parser.add_argument(
        "--what-if",
        action="append",
        default=[],
        metavar="FILE",
        help="apply this change, and show only what it changes",
    )
    options.add_output(parser, "table", "wide", "json", "yaml")
    options.add_strict(parser)
    options.add_file(parser, "--config", options.CONFIGURATION)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.simulate import command

    return command.run(options.request(command.SimulateOptions, given))
