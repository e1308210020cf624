"""``why``: its arguments, which are those of its alias ``explain``, too."""

import argparse

from elasticquota_cli.arguments import options


FORMS = ("text", "wide", "json", "yaml", "name")


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Says in plain words why a pod, a queued job, or the pods of a Deployment, StatefulSet, "
        "Job or other workload, wait: for what, at which position, for how long yet, and what you "
        "can do. Of a quota it shows what it may use, and which pods wait. -o wide adds the sums "
        "of each level. The rights of a tenant are enough."
    )
    add_arguments(parser, "text")


def add_arguments(parser: argparse.ArgumentParser, form: str) -> None:
    """Add the arguments; ``form`` is that of the output without ``-o``."""
    parser.epilog = "Exit codes: 0 done; 1 no such object, or no cluster; 2 bad input."
    options.add_object(
        parser,
        ("pod", "job", "quota"),
        "NAME",
        "a pod or a workload, also as KIND NAME or KIND/NAME; NAMESPACE/NAME is a name too, and "
        "KIND/NAMESPACE/NAME picks one of two jobs. A quota as quota NAME",
    )
    options.add_namespace(parser, "namespace of the object; that of the context without it")
    options.add_manifests(parser, options.INSTEAD_OF_A_CLUSTER)
    options.add_output(parser, form, *(each for each in FORMS if each != form))
    options.add_login(parser)
    options.add_file(
        parser, "--config", f"{options.CONFIGURATION}, instead of the one in the cluster"
    )


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.why import command

    return command.run(options.request(command.WhyOptions, given))
