"""``why``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Says in plain words why a pod, or the pods of a Deployment, StatefulSet or Job, wait: for "
        "what, at which position, for how long yet, what has to happen, and what you can do. Of a "
        "quota it shows what it may use, and which pods wait. -o wide adds the sums of each level. "
        "The rights of a tenant are enough."
    )
    parser.epilog = "Exit codes: 0 done; 1 no such pod or workload, or no cluster; 2 bad input."
    parser.add_argument(
        "words",
        nargs="+",
        metavar="NAME",
        help="a pod or a workload, also as KIND NAME or KIND/NAME; NAMESPACE/NAME is a name too. "
        "A quota as quota NAME",
    )
    options.add_namespace(parser, "namespace of the object; that of the context without it")
    options.add_manifests(parser, options.INSTEAD_OF_A_CLUSTER)
    options.add_output(parser, "text", "wide", "json", "yaml", "name")
    options.add_login(parser)
    options.add_file(parser, "--config", options.CONFIGURATION)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.why import command

    return command.run(options.request(command.Request, given))
