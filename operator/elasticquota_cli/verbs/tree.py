"""``tree``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = "Figures are used/share/min..max; '-' is no limit."
    options.add_namespace(parser, "only quotas of this namespace")
    options.add_all_namespaces(parser, "quotas of all namespaces; so it is without -n, too")
    options.add_selector(parser, "only quotas with these labels, such as team=a")
    options.add_output(parser, "table", "wide", "json", "yaml", "name")
    options.add_login(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli import tree

    tree.show(options.login(given), given.output, given.selector)
    return 0
