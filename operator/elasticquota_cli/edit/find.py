"""Finds the objects that the writing verbs change, by the names that users know."""

from typing import Any, Final

from elasticquota import names
from elasticquota_cli.failures import nearest, refusal
from elasticquota_cli.failures.failure import Failure
from elasticquota_cli.live import listing
from elasticquota_cli.live.listing import Cluster
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api, Document
from elasticquota_kube.client.rest.errors import ApiError


_NO_NAMES: Final = "you may not list elasticquotas in all namespaces: name one with -n"


def quota(cluster: Cluster, name: str, namespace: str = "") -> Document:
    """The quota of this name, in the namespace if one is given; raises `Failure`."""
    found = cluster.run(lambda api: _quotas(api, namespace, cluster.namespace))
    those = [each for each in found if each["metadata"]["name"] == name]
    if not those:
        hint = nearest.hint(name, (each["metadata"]["name"] for each in found))
        where = f" in namespace '{namespace}'" if namespace else ""
        raise Failure(f"there is no quota '{name}'{where}{hint}")
    if len(those) > 1:
        all_ = ", ".join(sorted(each["metadata"]["namespace"] for each in those))
        raise Failure(f"several namespaces have a quota '{name}': {all_}; name one with -n")
    return those[0]


def root(cluster: Cluster, name: str, namespace: str = "") -> Document:
    """The root quota of this name; raises `Failure` for another quota."""
    found = quota(cluster, name, namespace)
    if label(found, names.IS_ROOT) == "true" or name == names.ROOT_QUOTA:
        return found
    tree = (found.get("status") or {}).get("tree")
    hint = f"; the root of its tree is {tree}" if tree else ""
    raise Failure(f"quota '{name}' is not the root of a tree{hint}")


def profile(cluster: Cluster, name: str, namespace: str) -> Document:
    """The profile; raises `Failure`."""

    async def work(api: Api) -> Document:
        return await api.get(paths.PROFILES, namespace, name)

    try:
        return cluster.run(work)
    except ApiError as error:
        raise Failure(f"cannot read profile {namespace}/{name}: {refusal.of(error)}") from None


def label(document: Document, key: str) -> str:
    """A label of an object; empty if it has none."""
    return str((document["metadata"].get("labels") or {}).get(key, ""))


async def _quotas(api: Api, namespace: str, usual: str) -> list[dict[str, Any]]:
    """The quotas of a namespace or of all; of the usual one, if only that may be read."""
    for where in dict.fromkeys((namespace or None, namespace or usual)):
        found = await listing.listed(api, paths.QUOTAS, where, into=dict[str, Any])
        if found is not None:
            return list(found)
    if namespace:
        raise Failure(refusal.forbidden(paths.QUOTAS, namespace))
    raise Failure(_NO_NAMES)
