"""``doctor``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Checks the operator, its quotas, their pods and the ResourceQuotas beside them. Changes "
        "nothing. Reports each problem, worst first, with a remedy. It reads only what you may "
        "read, and reports what it could not check."
    )
    parser.epilog = (
        "Exit codes: 0 no error was found (there may be warnings); 1 errors were found, or there "
        "is no cluster; 2 bad input; 3 nothing could be checked."
    )
    options.add_namespace(parser, "only what concerns this namespace, instead of all namespaces")
    options.add_all_namespaces(parser, "all namespaces; so it is without -n, too")
    options.add_manifests(parser, options.INSTEAD_OF_A_CLUSTER)
    parser.add_argument(
        "--operator",
        action="store_true",
        help="only the operator itself, and what it wrote on quotas and profiles",
    )
    options.add_output(parser, "text", "json", "yaml")
    options.add_login(parser)
    options.add_file(
        parser, "--config", f"{options.CONFIGURATION}, instead of the one in the cluster"
    )


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.doctor import command

    return command.run(options.request(command.DoctorOptions, given))
