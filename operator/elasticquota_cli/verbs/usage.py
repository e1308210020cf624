"""``usage``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Shows for how long quotas borrowed and lent how much, in resource-hours: core-hours of "
        "cpu, byte-hours of memory, device-hours. The totals count up to now, since the quota "
        "first borrowed or lent. For a month, subtract the CSV of its begin from that of its end."
    )
    parser.epilog = (
        "Exit codes: 0 done; 1 you may not list quotas there, or there is no cluster; 2 bad input."
    )
    options.add_namespace(parser, "quotas of this namespace; that of the context without it")
    options.add_all_namespaces(parser)
    options.add_manifests(parser, options.INSTEAD_OF_A_CLUSTER)
    options.add_output(parser, "table", "csv", "json", "yaml", "name")
    options.add_login(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.usage import command

    return command.run(options.request(command.UsageOptions, given))
