"""``observe``: its arguments."""

import argparse

from elasticquota_cli.arguments import options


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Switches observe mode of a tree on or off. A tree that observes computes and reports "
        "everything, and holds or evicts no pod. TREE is the name of its root quota; where the "
        "tree follows a profile, the profile is changed. Shows the difference, and what it starts "
        "or evicts, and asks first."
    )
    parser.add_argument("switch", choices=("on", "off"), metavar="on|off", help="on or off")
    options.add_object(parser, ("tree",), "TREE", "name of the root quota")
    options.add_edit(parser, "namespace of the root quota")


def run(given: argparse.Namespace) -> int:
    from elasticquota_cli.edit import command

    command.observe(options.request(command.EditOptions, given), observes=given.switch == "on")
    return 0
