"""``explain``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Makes the controller's decisions on the live state, changes nothing, and shows why a pod "
        "or a job waits or runs, or how the runtime of a quota is computed."
    )
    parser.epilog = "Exit codes: 0 done; 1 no such object, or no cluster; 2 bad input."
    parser.add_argument(
        "what", choices=("pod", "job", "quota"), metavar="KIND", help="pod, job or quota"
    )
    parser.add_argument(
        "name",
        metavar="NAME",
        help="NAMESPACE/NAME; a quota needs only NAME; KIND/NAMESPACE/NAME picks one of two jobs",
    )
    options.add_manifests(parser, options.INSTEAD_OF_A_CLUSTER)
    options.add_output(parser, "table", "json")
    options.add_login(parser)
    options.add_file(parser, "--config", options.CONFIGURATION)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.explain import command

    command.run(options.request(command.Request, given))
    return 0
