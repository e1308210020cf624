"""Namespaces of tests: each test has one of its own, and leaves it empty."""

import secrets
from contextlib import suppress
from typing import Final

from elasticquota.names import PARENT
from users import RefusedError, User
from waiting import eventually


_OWNERS: Final = ("Deployment", "StatefulSet", "ReplicaSet", "CronJob", "Job")
_LABEL: Final = "kubernetes.io/metadata.name"


def new(admin: User) -> str:
    """Create a namespace with a name that was never used before."""
    name = f"t{secrets.token_hex(3)}"
    admin.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    # Pods are refused until the controller manager has made this.
    eventually(lambda: admin.find("ServiceAccount", "default", name), bool)
    return name


def leave(admin: User, name: str) -> None:
    """Delete what other tests could see in a namespace; it stays, empty, if only pods and quotas
    were there.

    The deletion of a namespace takes 0.2 s of processor time: several requests for each kind.
    """
    space = admin.find("Namespace", name)
    if space is None or "deletionTimestamp" in space["metadata"]:
        return
    for kind in _OWNERS:
        admin.delete_all(kind, name)
    # The API server deletes thousands in more than one request.
    eventually(lambda: admin.delete_all("Pod", name), None, within=600)
    is_plain = "annotations" not in space["metadata"] and {*space["metadata"]["labels"]} == {_LABEL}
    if not (is_plain and _without_quotas(admin, name)):
        admin.delete("Namespace", name)  # Else selectors of other tests may match it.


def _without_quotas(admin: User, name: str) -> bool:
    """Delete the quotas, the children first; return whether none is left."""
    for _ in range(20):
        with suppress(RefusedError):  # The webhook still sees quotas in its tree.
            admin.delete_all("ElasticQuotaProfile", name)
        left = admin.list("ElasticQuota", name)
        if not left:
            return True
        parents = {each["metadata"].get("labels", {}).get(PARENT) for each in left}
        for quota in left:
            if quota["metadata"]["name"] not in parents:
                with suppress(RefusedError):  # The webhook still sees its pods or children.
                    admin.delete("ElasticQuota", quota["metadata"]["name"], name)
    return False
