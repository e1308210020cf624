"""An API server from which one of the three layers was taken, for the time of a block."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Final

import tenants
import users
from installation import Kubectl
from users import Document, User
from waiting import eventually


_DEFINITIONS = (
    "elasticquotas.scheduling.sigs.k8s.io",
    "elasticquotaprofiles.quota.koordinator.sh",
)
_SCHEMA = "/spec/versions/0/schema/openAPIV3Schema"
_ANYTHING: Document = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_BINDINGS = "validatingadmissionpolicybindings"
_OURS = "app.kubernetes.io/component=policy"


def layer(message: str) -> str:
    """Which layer refuses with these words."""
    if message.startswith("admission webhook "):
        return "webhook"
    if "ValidatingAdmissionPolicy" in message:
        return "policy"
    # Our rules of the schema end in a code, the validation of the API server itself has none.
    return "schema" if message.endswith("]") else "API"


@contextmanager
def without_schema_rules(admin: User, kubectl: Kubectl) -> Iterator[None]:
    """Objects of our kinds may have any content."""
    kept = {name: _schema(admin, name) for name in _DEFINITIONS}
    try:
        for name in kept:
            _set_schema(admin, name, _ANYTHING)
        eventually(partial(_held_by_schema, admin), (False, False))
        yield
    finally:
        for name, schema in kept.items():
            _set_schema(admin, name, schema)
        eventually(partial(_held_by_schema, admin), (True, True))


@contextmanager
def without_policies(admin: User, kubectl: Kubectl) -> Iterator[None]:
    """None of our ValidatingAdmissionPolicies is in force."""
    found = json.loads(kubectl("get", _BINDINGS, "-l", _OURS, "-o", "json"))
    for binding in found["items"]:
        metadata = binding["metadata"]
        binding["metadata"] = {key: metadata.get(key, {}) for key in ("labels", "annotations")}
        binding["metadata"]["name"] = metadata["name"]
    assert found["items"]
    kubectl("delete", _BINDINGS, "-l", _OURS)
    try:
        eventually(partial(_held_by_policy, admin), False)
        yield
    finally:
        kubectl("create", "-f", "-", stdin=json.dumps(found))
        eventually(partial(_held_by_policy, admin), True)


def _nothing_away(admin: User, kubectl: Kubectl) -> AbstractContextManager[None]:
    return nullcontext()


def _without_webhooks(admin: User, kubectl: Kubectl) -> AbstractContextManager[None]:
    return tenants.without_webhooks(admin)


AWAY: Final[Mapping[str, Callable[[User, Kubectl], AbstractContextManager[None]]]] = {
    "all layers": _nothing_away,
    "no schema rules": without_schema_rules,
    "no policies": without_policies,
    "no webhook": _without_webhooks,
}
"""How to bring about each state of the table in docs/rules/layers.md."""


def _schema(admin: User, name: str) -> Document:
    (version,) = admin.get("CustomResourceDefinition", name)["spec"]["versions"]
    return dict(version["schema"]["openAPIV3Schema"])


def _set_schema(admin: User, name: str, schema: Document) -> None:
    change = [{"op": "replace", "path": _SCHEMA, "value": schema}]
    admin.patch("CustomResourceDefinition", name, change=change)


def _held_by_schema(admin: User) -> tuple[bool, bool]:
    quota = _probe("ElasticQuota", "probe", {"max": {"cpu": -1}})
    profile = _probe("ElasticQuotaProfile", "probe", {"quotaName": "Probe", "nodeSelector": {}})
    return _refused_by(admin, quota) == "schema", _refused_by(admin, profile) == "schema"


def _held_by_policy(admin: User) -> bool:
    return _refused_by(admin, _probe("ElasticQuota", "koordinator-root-quota", {})) == "policy"


def _refused_by(admin: User, document: Document) -> str:
    try:
        admin.create(document, dry_run=True)
    except users.RefusedError as refused:
        return layer(refused.message)
    return ""


def _probe(kind: str, name: str, spec: Document) -> Document:
    return {
        "apiVersion": users.KINDS[kind].api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": "default"},
        "spec": spec,
    }
