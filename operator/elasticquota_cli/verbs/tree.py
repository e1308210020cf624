"""``tree``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = "Shows the quota trees. Figures are used/usable/min..max; '-' is no limit."
    options.add_namespace(parser, "only quotas of this namespace")
    options.add_all_namespaces(parser, "quotas of all namespaces; so it is without -n, too")
    options.add_selector(parser, "only quotas with these labels, such as team=a")
    options.add_output(parser, "table", "wide", "json", "yaml", "name")
    options.add_table(parser)
    options.add_login(parser)


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.commands import tree
    from elasticquota_cli.printers import watch

    def show() -> int:
        login, headers = options.login(given), not given.no_headers
        tree.show(login, given.output, given.selector, headers=headers)
        return 0

    return watch.repeat(show) if given.watch else show()
