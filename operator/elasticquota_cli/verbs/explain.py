"""``explain``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Makes the controller's decisions on the live state, changes nothing, and shows why a pod "
        "or a job waits or runs, or how the runtime of a quota is computed."
    )
    parser.epilog = "Exit codes: 0 done; 1 no such object, or no cluster; 2 bad input."
    options.add_object(
        parser,
        ("pod", "job", "quota"),
        text="pod, job or quota, and its name; also KIND/NAME. NAMESPACE/NAME is a name too, and "
        "KIND/NAMESPACE/NAME picks one of two jobs",
    )
    options.add_namespace(parser, "namespace of the object; that of the context without it")
    options.add_manifests(parser, options.INSTEAD_OF_A_CLUSTER)
    options.add_output(parser, "table", "wide", "json", "yaml", "name")
    options.add_login(parser)
    options.add_file(
        parser, "--config", f"{options.CONFIGURATION}, instead of the one in the cluster"
    )


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.explain import command

    command.run(options.request(command.Request, given))
    return 0
