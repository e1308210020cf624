"""``explain``: ``why`` in its wide form."""

import argparse

from elasticquota_cli.verbs import why


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Is 'why -o wide': why a pod, a queued job or a workload waits or runs, or how the runtime "
        "of a quota is computed, with the sums of each level. For who may read all that counts it "
        "makes the controller's decisions on the live state; it changes nothing."
    )
    why.add_arguments(parser, "wide")


def run(given: argparse.Namespace) -> int:
    return why.run(given)
