"""``export``: its arguments."""

import argparse

import elasticquota_import
from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Prints ElasticQuotaTree manifests of ACK for ElasticQuotas: one for the default tree, and "
        "one for each profile. Reports on standard error what they cannot say. FILE is a file or a "
        "folder; '-' is standard input."
    )
    parser.epilog = "Exit codes: 0 done; 1 with --strict when something is left out; 2 bad input."
    parser.add_argument("form", choices=elasticquota_import.FORMS, metavar="FORM", help="ack")
    options.add_manifests(parser, "all ElasticQuotas, with the roots of profiles", required=True)
    options.add_strict(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_import import export

    return export.run(options.request(export.ExportRequest, given))
