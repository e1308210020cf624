"""``completion``: prints the script that makes a shell complete command lines."""

import argparse

from elasticquota_cli.completion import scripts


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Prints a script for SHELL: bash, zsh or fish complete elastic-quota with it. For kubectl "
        "elastic-quota, save that of kubectl as the program kubectl_complete-elastic_quota. "
        "Verbs, flags and the names of namespaces, quotas, pods and contexts are completed. For "
        "bash: source <(elastic-quota completion bash)"
    )
    parser.add_argument(
        "shell", choices=tuple(scripts.OF_SHELL), metavar="SHELL", help="bash, zsh, fish or kubectl"
    )


def run(given: argparse.Namespace) -> int:
    print(scripts.OF_SHELL[given.shell], end="")
    return 0
