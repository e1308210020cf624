"""Prints what a verb has found in the form that ``-o`` names, as kubectl has them.

Only the result goes to standard output. JSON and YAML are the same report; a name is
``KIND.GROUP/NAME``, which kubectl takes.
"""

from collections.abc import Callable, Iterable
from typing import Final, Literal

from elasticquota import names, texts
from elasticquota_cli.printers import json_text
from elasticquota_kube.client.paths import Resource


Form = Literal["table", "text", "wide", "json", "yaml", "name", "markdown"]
FOR_PROGRAMS: Final = ("json", "yaml", "name")


def write(found: object, form: str, show: Callable[[], None], called: Iterable[str] = ()) -> None:
    """Print ``found``; ``show`` prints it for people, ``called`` are the names of its objects."""
    match form:
        case "json":
            print(json_text.of(found))
        case "yaml":
            print(json_text.as_yaml(found), end="")
        case "name":
            for name in dict.fromkeys(called):
                print(texts.printable(name))
        case _:
            show()


def quota(name: str) -> str:
    """The name of a quota, as kubectl takes it."""
    return f"{names.QUOTA_KIND.lower()}.{names.QUOTA_GROUP}/{name}"


def name_of(resource: Resource, name: str) -> str:
    """The name of an object, as kubectl takes it."""
    group = f".{resource.group}" if resource.group else ""
    return f"{resource.plural.removesuffix('s')}{group}/{name}"
