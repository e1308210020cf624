"""The help of the program as a whole: the list of its verbs."""

from collections.abc import Iterator

from elasticquota_cli.verbs import VERBS


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
    yield f"Use '{program} COMMAND --help' for more about a command."
