"""Users whom the policies restrict, and an API server that has only the policies.

A tenant is ``users.tenant``; a planner may write the quotas of its namespace besides.
``without_webhooks`` keeps the API server from calling any webhook of ours, so that it alone refuses
what is still refused.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import users
from installation import CONTROLLER_USER, NAMESPACE, WEBHOOK
from scenes import PREFIX
from users import Document, User
from waiting import eventually


_CONFIGURATIONS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
_NEVER: Document = {"name": "never", "expression": "false"}
_PROBE: Document = {
    "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
    "kind": "ElasticQuota",
    "metadata": {"name": "probe", "namespace": "default"},
}


@contextmanager
def default_quota(admin: User, manifest: Document) -> Iterator[str]:
    """Give the default quota the spec and annotations of ``manifest``; yields its name.

    At the end the controller's user deletes it, and the controller makes an empty one again.
    """
    name = "koordinator-default-quota"
    eventually(lambda: admin.find("ElasticQuota", name, NAMESPACE), bool)
    notes = manifest["metadata"].get("annotations") or {}
    change = {"metadata": {"annotations": notes}, "spec": manifest["spec"]}
    admin.patch("ElasticQuota", name, NAMESPACE, change=change)
    try:
        yield name
    finally:  # which only the controller may do
        with speaking_as(admin, CONTROLLER_USER) as controller:
            controller.delete("ElasticQuota", name, NAMESPACE)


def planner(boss: User, namespace: str) -> User:
    """A tenant who may also write the quotas of its namespace."""
    user = users.tenant(boss, namespace, "planner")
    grant(boss, namespace, "elastic-quota-admin", "planner")
    await_rights(user, namespace, "Pod", "ElasticQuota")
    return user


def await_rights(user: User, namespace: str, *kinds: str) -> None:
    """Wait until ``user`` may read these: the API server learns of a grant a moment later."""
    for kind in kinds:
        eventually(partial(user.list, kind, namespace), lambda _: True)


def grant(boss: User, namespace: str, role: str, account: str, home: str = "") -> None:
    """Grant a ClusterRole in ``namespace`` to a ServiceAccount, of the same one unless ``home``."""
    whom = {"kind": "ServiceAccount", "name": account, "namespace": home or namespace}
    _bind(boss, namespace, role, whom)


def grant_user(boss: User, namespace: str, role: str, name: str) -> None:
    """Grant a ClusterRole in ``namespace`` to a user of that name."""
    _bind(boss, namespace, role, {"kind": "User", "name": name})


def grant_group(boss: User, namespace: str, role: str, name: str) -> None:
    """Grant a ClusterRole in ``namespace`` to a group of that name."""
    _bind(boss, namespace, role, {"kind": "Group", "name": name})


def role(boss: User, name: str, group: str, resources: Sequence[str], verbs: Sequence[str]) -> str:
    """A ClusterRole of one rule."""
    rules = [{"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}]
    boss.create(
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": name},
            "rules": rules,
        }
    )
    return name


@contextmanager
def speaking_as(boss: User, name: str, group: str = "system:authenticated") -> Iterator[User]:
    """The user of that name, by impersonation; the admin may impersonate any user."""
    user = User(boss.configuration)
    user._client.default_headers |= {"Impersonate-User": name, "Impersonate-Group": group}
    yield user
    user.close()


@contextmanager
def without_webhooks(boss: User) -> Iterator[None]:
    """No webhook is called for anything inside the block.

    This uses a condition that never holds. Webhooks that were removed and restored would have
    another field manager, and a later ``helm upgrade`` that leaves one out would not remove it.
    """
    _set_conditions(boss, lambda conditions: [*conditions, _NEVER])
    try:
        eventually(lambda: _asked(boss), (False, False))
        yield
    finally:
        _set_conditions(boss, lambda conditions: [each for each in conditions if each != _NEVER])
        eventually(lambda: _asked(boss), (True, True))


def _set_conditions(boss: User, change: Callable[[list[Document]], list[Document]]) -> None:
    for kind in _CONFIGURATIONS:
        webhooks = boss.get(kind, WEBHOOK)["webhooks"]
        operations = [
            {
                "op": "add",
                "path": f"/webhooks/{place}/matchConditions",
                "value": change(webhook.get("matchConditions") or []),
            }
            for place, webhook in enumerate(webhooks)
        ]
        boss.patch(kind, WEBHOOK, change=operations)


def _bind(boss: User, namespace: str, role: str, whom: Document) -> None:
    boss.create(
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": {
                "name": f"{role}-{whom['name']}".replace(":", "-"),
                "namespace": namespace,
            },
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": role,
            },
            "subjects": [whom],
        }
    )


def _asked(boss: User) -> tuple[bool, bool]:
    """Whether the API server calls the webhooks that complete quotas, and those that judge them."""
    completed = boss.create(_PROBE, dry_run=True)["metadata"].get("labels")
    misplaced: Document = {
        **_PROBE["metadata"],
        "labels": {f"{PREFIX}parent": "koordinator-system-quota"},
    }
    try:
        boss.create({**_PROBE, "metadata": misplaced}, dry_run=True)
    except users.RefusedError as refused:
        if "[EQ1101]" not in refused.message:
            raise
        return bool(completed), True
    return bool(completed), False
