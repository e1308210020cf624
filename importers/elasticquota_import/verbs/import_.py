"""``import``: its arguments."""

import argparse

import elasticquota_import
from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Prints ElasticQuota manifests for the quotas of other systems: ack (ElasticQuotaTree), "
        "capacity (ElasticQuota of scheduling.x-k8s.io), yunikorn (queues.yaml, its ConfigMap, "
        "Namespaces), kueue (Cohort, ClusterQueue, LocalQueue, ResourceFlavor), hnc "
        "(HierarchicalResourceQuota, HierarchyConfiguration, SubnamespaceAnchor, Namespaces), "
        "volcano (Queue, Namespaces), kai (Queue) or resourcequota. Reports on standard error what "
        "is not taken over. FILE is a file or a folder; '-' is standard input."
    )
    parser.epilog = (
        "Exit codes: 0 done; 1 with --strict when something is not taken over as it is (with "
        "--check: or is refused, waits or is evicted because of the quotas); 2 bad input."
    )
    parser.add_argument(
        "dialect",
        choices=elasticquota_import.DIALECTS,
        metavar="DIALECT",
        help="ack, capacity, yunikorn, kueue, hnc, volcano, kai or resourcequota",
    )
    options.add_manifests(parser, "their objects", required=True)
    options.add_namespace(
        parser, "namespace of quotas that belong to no other namespace (kube-system)", "kube-system"
    )
    parser.add_argument(
        "--check",
        action="append",
        default=[],
        metavar="FILE",
        help="instead of printing, simulate these pods and nodes without and with the quotas",
    )
    options.add_strict(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_import import command

    return command.run(options.request(command.ImportRequest, given))
