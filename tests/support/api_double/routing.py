"""Which kind, namespace, name and subresource a URL path means."""

from collections.abc import Sequence
from dataclasses import dataclass

from api_double import refusals
from api_double.kinds import Kind
from elasticquota_kube.client.paths import Resource


@dataclass(frozen=True, slots=True)
class Target:
    """A collection, or with a `name` one object or a subresource of it."""

    kind: Kind
    namespace: str
    name: str
    subresource: str


def target(kinds: Sequence[Kind], path: str) -> Target:
    """Read a path; raises the 404 of the API server for what is not served."""
    match path.strip("/").split("/"):
        case ["api", version, *rest]:
            group = ""
        case ["apis", group, version, *rest]:
            pass
        case _:
            raise refusals.no_such_resource()
    namespace = ""
    if len(rest) > 2 and rest[0] == "namespaces" and rest[2] != "status":
        _, namespace, *rest = rest
    plural, name, subresource = [*rest, "", "", ""][:3]
    for kind in kinds:
        if kind.resource == Resource(group, version, plural) and (
            not subresource
            or (subresource == "status" and kind.status)
            or (subresource == "eviction" and plural == "pods")
        ):
            return Target(kind, namespace, name, subresource)
    raise refusals.no_such_resource()
