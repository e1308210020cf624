"""The command line: parses arguments, runs one verb, and prints an error as one sentence.

Exit codes: 0 done, 1 it failed (the reason is on standard error), 2 the command or the
configuration is wrong. Each verb imports what it needs when it runs, so that ``version`` is fast.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import TypeVar

from elasticquota_cli import importing
from elasticquota_cli.failure import Failure


DISTRIBUTION = "elastic-quota-operator"
_PLUGIN = "kubectl-elastic_quota"
_KUBECONFIG = "instead of $KUBECONFIG"
_CONFIGURATION = "the controller's configuration (YAML)"

Request = TypeVar("Request")


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of the console scripts; returns the exit code."""
    parser = _parser("kubectl elastic-quota" if _is_plugin() else "elastic-quota")
    given = parser.parse_args(arguments)
    try:
        return _carry_out(given)
    except Failure as failure:
        for line in str(failure).splitlines():
            print(f"{parser.prog}: {line}", file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader (head, less) has closed the pipe; closing stderr keeps Python from complaining.
        sys.stderr.close()
        return 0


def _carry_out(given: argparse.Namespace) -> int:
    match given.verb:
        case "run":
            from elasticquota_cli import run  # noqa: PLC0415 - loaded by the verb that needs it

            run.run(given.what, given.config)
        case "config":
            _carry_out_config(given)
        case "tree":
            from elasticquota_cli import tree  # noqa: PLC0415 - loaded by the verb that needs it

            tree.show(given.kubeconfig, given.output)
        case "explain":
            from elasticquota_cli.explain import command as explanation  # noqa: PLC0415 - loaded by the verb that needs it

            explanation.run(_request(explanation.Request, given))
        case "doctor":
            from elasticquota_cli.doctor import command as doctor  # noqa: PLC0415 - loaded by the verb that needs it

            return doctor.run(_request(doctor.Request, given))
        case "simulate":
            from elasticquota_cli.simulate import command  # noqa: PLC0415 - loaded by the verb that needs it

            return command.run(_request(command.Request, given))
        case "release":
            from elasticquota_cli import release  # noqa: PLC0415 - loaded by the verb that needs it

            release.run(_request(release.Request, given))
        case "import":
            from elasticquota_cli.importing import command as importer  # noqa: PLC0415 - loaded by the verb that needs it

            return importer.run(_request(importer.Request, given))
        case "export":
            from elasticquota_cli.importing import export  # noqa: PLC0415 - loaded by the verb that needs it

            return export.run(_request(export.Request, given))
        case _:
            print(f"elastic-quota {metadata.version(DISTRIBUTION)}")
    return 0


def _request(kind: type[Request], given: argparse.Namespace) -> Request:
    """The request of a verb: a dataclass with a field for each argument, of the same name."""
    return kind(**{each: getattr(given, each) for each in kind.__annotations__})


def _carry_out_config(given: argparse.Namespace) -> None:
    from elasticquota_cli import config  # noqa: PLC0415 - loaded by the verb that needs it

    if given.action == "check":
        config.check(given.filename)
    elif given.defaults:
        config.show_defaults()
    else:
        config.show(given.filename)


def _is_plugin() -> bool:
    return Path(sys.argv[0]).name == _PLUGIN


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=program, description="Hierarchical elastic quotas for Kubernetes."
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="COMMAND")
    _add_run(verbs.add_parser("run", help="run a process of the operator"))
    _add_tree(verbs.add_parser("tree", help="show the quota trees with what they use and may use"))
    _add_explain(
        verbs.add_parser("explain", help="show why a pod or a job waits, or what a quota may use")
    )
    _add_doctor(verbs.add_parser("doctor", help="check an installation and report what is wrong"))
    _add_release(verbs.add_parser("release", help="ungate waiting pods after an uninstall"))
    _add_simulate(
        verbs.add_parser("simulate", help="make decisions on manifests, without a cluster")
    )
    _add_import(verbs.add_parser("import", help="translate other systems' quotas to ElasticQuotas"))
    _add_export(verbs.add_parser("export", help="translate ElasticQuotas to ElasticQuotaTrees"))
    _add_config(verbs.add_parser("config", help="check a configuration file, or show all keys"))
    verbs.add_parser("version", help="print the version")
    return parser


def _add_run(run: argparse.ArgumentParser) -> None:
    run.description = "PROCESS is controller, webhook, or all (both in one, for a laptop)."
    run.add_argument("what", choices=("controller", "webhook", "all"), metavar="PROCESS")
    _add_file(run, "--config", "configuration (YAML); defaults without it")


def _add_tree(tree: argparse.ArgumentParser) -> None:
    tree.description = "Figures are used/runtime/max; '-' is no limit."
    _add_file(tree, "--kubeconfig", _KUBECONFIG)
    tree.add_argument("-o", "--output", choices=("table", "json"), default="table")


def _add_explain(explain: argparse.ArgumentParser) -> None:
    explain.description = (
        "Makes the controller's decisions on the live state, changes nothing, and shows why a pod "
        "or a job waits or runs, or how the runtime of a quota is computed."
    )
    explain.epilog = "Exit codes: 0 done; 1 no such object, or no cluster; 2 bad input."
    explain.add_argument(
        "what", choices=("pod", "job", "quota"), metavar="KIND", help="pod, job or quota"
    )
    explain.add_argument(
        "name",
        metavar="NAME",
        help="NAMESPACE/NAME; a quota needs only NAME; KIND/NAMESPACE/NAME picks one of two jobs",
    )
    _add_sources(explain, "table", _CONFIGURATION)


def _add_doctor(doctor: argparse.ArgumentParser) -> None:
    doctor.description = (
        "Checks the operator, its quotas, their pods and the ResourceQuotas beside them. Changes "
        "nothing. Reports each problem, worst first, with a remedy. It reads only what you may "
        "read, and reports what it could not check."
    )
    doctor.epilog = (
        "Exit codes: 0 no error was found (there may be warnings); 1 errors were found, or there "
        "is no cluster; 2 bad input."
    )
    doctor.add_argument(
        "-n",
        "--namespace",
        default="",
        help="only what concerns this namespace, or all namespaces",
    )
    _add_sources(doctor, "text", f"{_CONFIGURATION}, instead of the one in the cluster")


def _add_release(release: argparse.ArgumentParser) -> None:
    release.description = (
        "Removes the scheduling gate of this operator, and no other, from all pods that wait at "
        "it, whatever their quotas say. Use it after an uninstall: it needs no controller and no "
        "webhook. While the policies of the chart exist, only the controller and break-glass "
        "groups may remove the gate. A controller that still runs counts the released pods as "
        "admitted, and evicts what exceeds the quotas as usual."
    )
    release.epilog = "Exit codes: 0 done; 1 pods are left, or there is no cluster; 2 bad input."
    release.add_argument(
        "--all", action="store_true", required=True, help="all pods, not only those that fit"
    )
    release.add_argument(
        "-n", "--namespace", default="", help="only pods of this namespace, instead of all"
    )
    release.add_argument(
        "--dry-run", action="store_true", help="print how many pods it would release, change none"
    )
    _add_file(release, "--kubeconfig", _KUBECONFIG)


def _add_sources(verb: argparse.ArgumentParser, output: str, configuration: str) -> None:
    """Add the options of verbs that read a cluster or manifests."""
    _add_manifests(verb, "manifests instead of a cluster: a file, a folder, or '-'")
    verb.add_argument("-o", "--output", choices=(output, "json"), default=output)
    _add_file(verb, "--kubeconfig", _KUBECONFIG)
    _add_file(verb, "--config", configuration)


def _add_manifests(verb: argparse.ArgumentParser, text: str, *, required: bool = False) -> None:
    verb.add_argument(
        "-f",
        "--filename",
        dest="files",
        action="append",
        default=None if required else [],
        required=required,
        metavar="FILE",
        help=text,
    )


def _add_file(verb: argparse.ArgumentParser, option: str, text: str) -> None:
    verb.add_argument(option, type=Path, metavar="FILE", help=text)


def _add_simulate(simulate: argparse.ArgumentParser) -> None:
    simulate.description = (
        "Makes the controller's decisions on manifests, without a cluster. Shows the settled "
        "figures of the quotas, which pods wait and why, and which would be evicted. FILE is a "
        "file or a folder; '-' is standard input."
    )
    simulate.epilog = (
        "Exit codes: 0 done; 1 with --strict when something is refused, waits or is evicted (with "
        "--what-if: because of the change); 2 bad input."
    )
    _add_manifests(simulate, "existing objects", required=True)
    simulate.add_argument(
        "--what-if",
        action="append",
        default=[],
        metavar="FILE",
        help="apply this change, and show only what it changes",
    )
    simulate.add_argument("-o", "--output", choices=("table", "json", "yaml"), default="table")
    simulate.add_argument("--strict", action="store_true", help="exit with 1 as described below")
    _add_file(simulate, "--config", _CONFIGURATION)


def _add_import(verb: argparse.ArgumentParser) -> None:
    verb.description = (
        "Prints ElasticQuota manifests for the quotas of other systems: ack (ElasticQuotaTree), "
        "capacity (ElasticQuota of scheduling.x-k8s.io), yunikorn (queues.yaml, its ConfigMap, "
        "Namespaces), kueue (Cohort, ClusterQueue, LocalQueue, ResourceFlavor), hnc "
        "(HierarchicalResourceQuota, HierarchyConfiguration, SubnamespaceAnchor, Namespaces), "
        "volcano (Queue, Namespaces), kai (Queue) or resourcequota. Reports on standard error what "
        "is not taken over. FILE is a file or a folder; '-' is standard input."
    )
    verb.epilog = (
        "Exit codes: 0 done; 1 with --strict when something is not taken over as it is (with "
        "--check: or is refused, waits or is evicted because of the quotas); 2 bad input."
    )
    verb.add_argument(
        "dialect",
        choices=importing.DIALECTS,
        metavar="DIALECT",
        help="ack, capacity, yunikorn, kueue, hnc, volcano, kai or resourcequota",
    )
    _add_manifests(verb, "their objects", required=True)
    verb.add_argument(
        "-n",
        "--namespace",
        default="kube-system",
        help="namespace of quotas that belong to no other namespace (kube-system)",
    )
    verb.add_argument(
        "--check",
        action="append",
        default=[],
        metavar="FILE",
        help="instead of printing, simulate these pods and nodes without and with the quotas",
    )
    verb.add_argument("--strict", action="store_true", help="exit with 1 as described below")


def _add_export(verb: argparse.ArgumentParser) -> None:
    verb.description = (
        "Prints ElasticQuotaTree manifests of ACK for ElasticQuotas: one for the default tree, and "
        "one for each profile. Reports on standard error what they cannot say. FILE is a file or a "
        "folder; '-' is standard input."
    )
    verb.epilog = "Exit codes: 0 done; 1 with --strict when something is left out; 2 bad input."
    verb.add_argument("form", choices=("ack",), metavar="FORM", help="ack")
    _add_manifests(verb, "all ElasticQuotas, with the roots of profiles", required=True)
    verb.add_argument("--strict", action="store_true", help="exit with 1 as described below")


def _add_config(config: argparse.ArgumentParser) -> None:
    actions = config.add_subparsers(dest="action", required=True, metavar="ACTION")

    check = actions.add_parser("check", help="check a configuration file")
    check.description = "Prints a line for each fault: path, what is wrong, the nearest valid word."
    check.epilog = "Exit codes: 0 the file is good; 1 it has faults; 2 it cannot be read."
    check.add_argument(
        "-f", "--filename", required=True, metavar="FILE", help="the file (YAML); '-' is the input"
    )

    show = actions.add_parser("show", help="print the effective configuration")
    show.description = "Prints every key as YAML; a comment names the default of a changed value."
    what = show.add_mutually_exclusive_group()
    what.add_argument(
        "-f", "--filename", metavar="FILE", help="the file (YAML); without it, the defaults"
    )
    what.add_argument(
        "--defaults", action="store_true", help="the defaults, with the meaning of every key"
    )


if __name__ == "__main__":
    sys.exit(main())
