"""The help of the program as a whole: the list of its verbs, and what to try first."""

from collections.abc import Iterator
from typing import Final

from elasticquota_cli.arguments import examples
from elasticquota_cli.verbs import VERBS


_TRIED_FIRST: Final = ("tree", "why", "pending", "history", "simulate", "plan", "doctor")
"""The verbs of which the first example is shown."""


def text(program: str) -> str:
    """The help, as lines."""
    return "\n".join(_lines(program))


def _lines(program: str) -> Iterator[str]:
    yield "Hierarchical elastic quotas for Kubernetes."
    yield ""
    yield "Commands:"
    width = max(len(verb.name) for verb in VERBS)
    for verb in VERBS:
        yield f"  {verb.name.ljust(width)}   {verb.does}"
    yield ""
    yield "Usage:"
    yield f"  {program} COMMAND [flags]"
    yield ""
    yield "Examples:"
    for name in _TRIED_FIRST:
        yield f"  {program} {examples.OF_VERB[name][0]}"
    yield ""
    yield f"Use '{program} COMMAND --help' for more about a command."
