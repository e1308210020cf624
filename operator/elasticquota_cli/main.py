"""The command line: reads arguments, hands over to one verb, turns trouble into one sentence.

Exit codes: 0 done, 1 it did not work (why is on standard error), 2 the command or the configuration
is wrong. Each verb imports what it needs when it runs, so that ``version`` is instant.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from elasticquota_cli import importing
from elasticquota_cli.failure import Failure


DISTRIBUTION = "elastic-quota-operator"
_PLUGIN = "kubectl-elastic_quota"


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
        # The reader (head, less) has seen enough; closing the error stream keeps Python quiet.
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

            explanation.run(
                explanation.Request(
                    given.what,
                    given.name,
                    given.filename,
                    given.output,
                    given.kubeconfig,
                    given.config,
                )
            )
        case "doctor":
            from elasticquota_cli.doctor import command as doctor  # noqa: PLC0415 - loaded by the verb that needs it

            return doctor.run(
                doctor.Request(
                    given.namespace,
                    given.filename,
                    given.output,
                    given.kubeconfig,
                    given.config,
                )
            )
        case "simulate":
            from elasticquota_cli.simulate import command  # noqa: PLC0415 - loaded by the verb that needs it

            return command.run(
                command.Request(
                    given.filename, given.what_if, given.output, given.strict, given.config
                )
            )
        case "release":
            from elasticquota_cli import release  # noqa: PLC0415 - loaded by the verb that needs it

            release.run(release.Request(given.namespace, given.dry_run, given.kubeconfig))
        case "import":
            from elasticquota_cli.importing import command as importer  # noqa: PLC0415 - loaded by the verb that needs it

            return importer.run(
                importer.Request(
                    given.dialect, given.filename, given.namespace, given.strict, given.check
                )
            )
        case _:
            print(f"elastic-quota {metadata.version(DISTRIBUTION)}")
    return 0


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

    run = verbs.add_parser("run", help="run a process of the operator")
    run.add_argument("what", choices=("controller", "webhook", "all"), metavar="PROCESS")
    run.add_argument(
        "--config", type=Path, metavar="FILE", help="configuration (YAML); defaults without it"
    )
    run.description = "PROCESS is controller, webhook, or all (both in one, for a laptop)."

    tree = verbs.add_parser("tree", help="show the quota trees with what they use and may use")
    tree.add_argument("--kubeconfig", type=Path, metavar="FILE", help="instead of $KUBECONFIG")
    tree.add_argument("-o", "--output", choices=("table", "json"), default="table")
    tree.description = "Figures are used/runtime/max; '-' is no limit."

    _add_explain(
        verbs.add_parser("explain", help="say why a pod or a job waits, or what a quota may use")
    )
    _add_doctor(verbs.add_parser("doctor", help="say what is wrong with an installation"))
    _add_release(verbs.add_parser("release", help="let waiting pods go, after an uninstall"))
    _add_simulate(verbs.add_parser("simulate", help="decide over manifests, without a cluster"))
    _add_import(verbs.add_parser("import", help="turn a neighbour's quotas into ElasticQuotas"))
    _add_config(verbs.add_parser("config", help="check a configuration file, or show all keys"))

    verbs.add_parser("version", help="say which version this is")
    return parser


def _add_explain(explain: argparse.ArgumentParser) -> None:
    explain.description = (
        "Decides over the live state as the controller does, changes nothing, and says why a pod "
        "or a job waits or runs, or how a quota came to its runtime."
    )
    explain.epilog = "Exit codes: 0 done; 1 no such object, or no cluster; 2 bad input."
    explain.add_argument(
        "what", choices=("pod", "job", "quota"), metavar="KIND", help="pod, job or quota"
    )
    explain.add_argument(
        "name",
        metavar="NAME",
        help="NAMESPACE/NAME; of a quota NAME is enough; of two jobs KIND/NAMESPACE/NAME tells one",
    )
    _add_sources(explain, "table", "the controller's configuration (YAML)")


def _add_doctor(doctor: argparse.ArgumentParser) -> None:
    doctor.description = (
        "Looks at the operator, its quotas, their pods and the ResourceQuotas beside them, changes "
        "nothing, and says what is wrong, worst first, and what to do. It reads what you may read, "
        "and says what it could not look at."
    )
    doctor.epilog = (
        "Exit codes: 0 no error was found (there may be warnings); 1 errors were found, or there "
        "is no cluster; 2 bad input."
    )
    doctor.add_argument(
        "-n",
        "--namespace",
        default="",
        help="only what concerns this namespace, or everybody",
    )
    configuration = "the controller's configuration (YAML), instead of the one in the cluster"
    _add_sources(doctor, "text", configuration)


def _add_release(release: argparse.ArgumentParser) -> None:
    release.description = (
        "Takes the scheduling gate of this operator, and no other, off all pods that wait at it, "
        "whatever their quotas say. It is for the time after an uninstall: it needs no controller "
        "and no webhook. While the policies of the chart are there, they let only the controller "
        "and break-glass groups do it. A controller that still runs counts the released pods as "
        "admitted, and evicts what is beyond the quotas as ever."
    )
    release.epilog = "Exit codes: 0 done; 1 pods are left, or there is no cluster; 2 bad input."
    release.add_argument(
        "--all", action="store_true", required=True, help="all pods, and not those with room only"
    )
    release.add_argument(
        "-n", "--namespace", default="", help="only pods of this namespace, instead of all"
    )
    release.add_argument(
        "--dry-run", action="store_true", help="say how many pods would go, and change nothing"
    )
    release.add_argument("--kubeconfig", type=Path, metavar="FILE", help="instead of $KUBECONFIG")


def _add_sources(verb: argparse.ArgumentParser, output: str, configuration: str) -> None:
    """What verbs have in common that look at a cluster or at manifests."""
    verb.add_argument(
        "-f",
        "--filename",
        action="append",
        default=[],
        metavar="FILE",
        help="manifests instead of a cluster: a file, a folder, or '-'",
    )
    verb.add_argument("-o", "--output", choices=(output, "json"), default=output)
    verb.add_argument("--kubeconfig", type=Path, metavar="FILE", help="instead of $KUBECONFIG")
    verb.add_argument("--config", type=Path, metavar="FILE", help=configuration)


def _add_simulate(simulate: argparse.ArgumentParser) -> None:
    simulate.description = (
        "Decides over manifests as the controller would, with no cluster, and shows the quotas at "
        "rest, who waits and why, and who would be evicted. FILE is a file or a folder; '-' is "
        "standard input."
    )
    simulate.epilog = (
        "Exit codes: 0 done; 1 with --strict when something is refused, waits or is evicted (with "
        "--what-if: because of the change); 2 bad input."
    )
    simulate.add_argument(
        "-f", "--filename", action="append", required=True, metavar="FILE", help="what there is"
    )
    simulate.add_argument(
        "--what-if",
        action="append",
        default=[],
        metavar="FILE",
        help="apply this to what there is, and show only what becomes different",
    )
    simulate.add_argument("-o", "--output", choices=("table", "json", "yaml"), default="table")
    simulate.add_argument("--strict", action="store_true", help="let the exit code tell")
    simulate.add_argument(
        "--config", type=Path, metavar="FILE", help="the controller's configuration (YAML)"
    )


def _add_import(verb: argparse.ArgumentParser) -> None:
    verb.description = (
        "Prints ElasticQuota manifests for what other systems have: ack (ElasticQuotaTree), "
        "capacity (ElasticQuota of scheduling.x-k8s.io), yunikorn (queues.yaml, its ConfigMap, "
        "Namespaces) or resourcequota. What is not taken over is said on standard error. FILE is "
        "a file or a folder; '-' is standard input."
    )
    verb.epilog = (
        "Exit codes: 0 done; 1 with --strict when something is not taken over as it is (with "
        "--check: or is refused, waits or is evicted because of the quotas); 2 bad input."
    )
    verb.add_argument(
        "dialect",
        choices=importing.DIALECTS,
        metavar="DIALECT",
        help="ack, capacity, yunikorn or resourcequota",
    )
    verb.add_argument(
        "-f", "--filename", action="append", required=True, metavar="FILE", help="what there is"
    )
    verb.add_argument(
        "-n",
        "--namespace",
        default="kube-system",
        help="where quotas live that belong to no namespace (kube-system)",
    )
    verb.add_argument(
        "--check",
        action="append",
        default=[],
        metavar="FILE",
        help="instead of printing, simulate these pods and nodes without and with the quotas",
    )
    verb.add_argument("--strict", action="store_true", help="let the exit code tell")


def _add_config(config: argparse.ArgumentParser) -> None:
    actions = config.add_subparsers(dest="action", required=True, metavar="ACTION")

    check = actions.add_parser("check", help="say what is wrong with a configuration file")
    check.description = "Says every fault on a line of its own: where, what is wrong, what is near."
    check.epilog = "Exit codes: 0 the file is good; 1 it has faults; 2 it cannot be read."
    check.add_argument(
        "-f", "--filename", required=True, metavar="FILE", help="the file (YAML); '-' is the input"
    )

    show = actions.add_parser("show", help="print what a configuration file comes to")
    show.description = "Prints every key as YAML; where a value is not the default, that is told."
    what = show.add_mutually_exclusive_group()
    what.add_argument(
        "-f", "--filename", metavar="FILE", help="the file (YAML); without it, the defaults"
    )
    what.add_argument(
        "--defaults", action="store_true", help="the defaults, and what every key means"
    )


if __name__ == "__main__":
    sys.exit(main())
