"""A tenant forges in a quota what only the controller writes: the policies alone refuse it.

Named after the threats of docs/threats.md.
"""

from functools import partial

import pytest

import policies
import tenants
import users
from installation import CONTROLLER_USER
from scenes import PREFIX, Pool, refusal
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster

ADMINISTRATORS = "those who may update elasticquotas in namespace elastic-quota-system"
FIGURES = (
    "runtime",
    "request",
    "child-request",
    "guaranteed",
    "allocated",
    "non-preemptible-request",
    "non-preemptible-used",
)
DIALECT = "elasticquota.dev/dialect"
ROOT_LABELS = (f"{PREFIX}is-root", f"{PREFIX}profile", f"{PREFIX}ignore-default-tree")
ROOT_ANNOTATIONS = (
    f"{PREFIX}total-resource",
    f"{PREFIX}unschedulable-resource",
    "elasticquota.dev/present-resource",
)


@pytest.mark.parametrize("label", ROOT_LABELS)
def test_s06_a_tenant_cannot_mark_a_quota_as_the_root_of_a_tree(
    home: Pool, planner: User, label: str
) -> None:
    forged = home.quota_manifest("forged", min=1, max=1, labels={label: "true"})
    refused = refusal(lambda: planner.create(forged))
    assert refused.code == 403
    assert refused.message == (
        policies.on_quota("marks", home.name("forged"))
        + f"metadata.labels[{label}] may be written only by "
        "the controller, which knows the nodes of a tree and what runs there, and by "
        f"{ADMINISTRATORS}. Leave out what you did not find there; a tree is made by an "
        "ElasticQuotaProfile. [EQ1108]"
    )
    change = {"metadata": {"labels": {label: "true"}}}
    refused = refusal(
        lambda: planner.patch("ElasticQuota", home.name("team"), home.namespace, change=change)
    )
    assert f"metadata.labels[{label}] may be written only" in refused.message


@pytest.mark.parametrize("dialect", ["ack", "capacity", "yunikorn"])
def test_s06_no_user_marks_a_quota_as_one_that_follows_another_object(
    home: Pool, admin: User, planner: User, dialect: str
) -> None:
    """Not before a dialect is switched on either, as the quota would go then."""
    change = {"metadata": {"labels": {DIALECT: dialect}}}
    forged = home.quota_manifest("forged", min=1, max=1, labels={DIALECT: dialect})
    for user in (planner, admin):
        for attempt in (
            partial(user.create, forged),
            partial(user.patch, "ElasticQuota", home.name("team"), home.namespace, change=change),
        ):
            refused = refusal(attempt)
            assert refused.code == 403
            assert "only the controller may set it; leave it out [EQ1108]" in refused.message


def test_a_mark_that_a_dialect_left_may_be_taken_off(home: Pool, admin: User) -> None:
    left = home.quota_manifest("left", min=1, max=1, labels={DIALECT: "ack"})
    with tenants.speaking_as(admin, CONTROLLER_USER) as controller:
        controller.create(left)

    def patch(labels: Document) -> Document:
        change = {"metadata": {"labels": labels}}
        return admin.patch("ElasticQuota", home.name("left"), home.namespace, change=change)

    assert "leave it out [EQ1108]" in refusal(lambda: patch({DIALECT: "yunikorn"})).message
    assert patch({"own": "yes"})["metadata"]["labels"][DIALECT] == "ack"
    assert DIALECT not in patch({DIALECT: None})["metadata"]["labels"]
    admin.delete("ElasticQuota", home.name("left"), home.namespace)


def test_s06_a_tenant_cannot_take_the_mark_off_a_root(home: Pool, planner: User) -> None:
    change = {"metadata": {"labels": {f"{PREFIX}is-root": None, f"{PREFIX}profile": "mine"}}}
    refused = refusal(
        lambda: planner.patch("ElasticQuota", home.root, home.namespace, change=change)
    )
    both = f"metadata.labels[{PREFIX}is-root], metadata.labels[{PREFIX}profile]"
    assert f"{both} may be written only by the controller" in refused.message


@pytest.mark.parametrize("after", ["1", None])
def test_s06_a_tenant_cannot_change_the_tree_of_its_quota(
    home: Pool, admin: User, planner: User, after: str | None
) -> None:
    tree = home.root_quota()["metadata"]["labels"][f"{PREFIX}tree-id"]
    label = {f"{PREFIX}tree-id": tree}
    home.quota("rooted", min=1, max=1, labels=label)
    change = {"metadata": {"labels": {f"{PREFIX}tree-id": after}}}
    refused = refusal(
        lambda: planner.patch("ElasticQuota", home.name("rooted"), home.namespace, change=change)
    )
    verb = f"change from '{tree}' to '{after}'" if after else "be removed"
    assert refused.message == (
        policies.on_quota("tree", home.name("rooted"))
        + f"metadata.labels[{PREFIX}tree-id] must not {verb}: the pods of the quota cannot "
        "move to the nodes of another tree. To use another tree, create a quota there and start "
        "the pods again in it. [EQ1107]"
    )
    admin.delete("ElasticQuota", home.name("rooted"), home.namespace)


def test_s06_a_user_who_may_write_profiles_cannot_take_over_another_tree(
    home: Pool, admin: User, planner: User
) -> None:
    tenants.grant(admin, home.namespace, "elastic-quota-profile-admin", "planner")
    change = {"metadata": {"labels": {f"{PREFIX}tree-id": "1"}}}
    message = eventually(
        lambda: (
            refusal(
                lambda: planner.patch("ElasticQuotaProfile", "pool", home.namespace, change=change)
            ).message
        ),
        lambda text: "[EQ1107]" in text,
    )
    assert message.endswith(
        ": the quotas below the profile would be left without their tree. To make another tree, "
        "create another profile. [EQ1107]"
    )


@pytest.mark.parametrize(
    "annotation", [*ROOT_ANNOTATIONS, *(f"{PREFIX}{figure}" for figure in FIGURES)]
)
def test_s07_a_tenant_cannot_forge_a_figure(home: Pool, planner: User, annotation: str) -> None:
    forged = {annotation: '{"cpu":"1000"}'}
    for attempt in (
        lambda: planner.create(home.quota_manifest("forged", min=1, max=1, annotations=forged)),
        lambda: planner.patch(
            "ElasticQuota",
            home.name("team"),
            home.namespace,
            change={"metadata": {"annotations": forged}},
        ),
    ):
        refused = refusal(attempt)
        assert refused.code == 403
        assert f"metadata.annotations[{annotation}] may be written only by" in refused.message


@pytest.mark.parametrize(
    ("field", "value"), [("preemption", "Disabled"), ("overMaxDelay", "Never")]
)
def test_s07_a_tenant_cannot_spare_its_pods_from_reclaim(
    home: Pool, planner: User, field: str, value: str
) -> None:
    spared = {"spec": {"reclaim": {field: value}}}
    forged = home.quota_manifest("forged", min=1, max=1)
    forged["spec"] |= spared["spec"]
    patch = partial(planner.patch, "ElasticQuota", home.name("team"), home.namespace)
    for attempt in (partial(planner.create, forged), partial(patch, change=spared)):
        refused = refusal(attempt)
        assert refused.code == 403
        assert f"spec.reclaim.{field} may be written only by" in refused.message
    patch(change={"spec": {"reclaim": {"grace": "1h"}}})
    patch(change={"spec": {"reclaim": None}})


def test_s07_a_tenant_cannot_write_the_settings_of_a_tree(home: Pool, planner: User) -> None:
    forged = {"tree": {"capacity": {"mode": "Declared", "total": {"cpu": 1000}}}}
    created = home.quota_manifest("forged", min=1, max=1)
    created["spec"] |= forged
    name = home.name("team")
    for attempt in (
        lambda: planner.create(created),
        lambda: planner.patch("ElasticQuota", name, home.namespace, change={"spec": forged}),
    ):
        refused = refusal(attempt)
        assert refused.code == 403
        assert "spec.tree may be written only by" in refused.message


def test_s07_a_tenant_cannot_change_the_total_of_a_tree(home: Pool, planner: User) -> None:
    for value in ('{"cpu":"1000000000"}', None):
        change = {"metadata": {"annotations": {f"{PREFIX}total-resource": value}}}
        refused = refusal(
            lambda change=change: planner.patch(  # type: ignore[misc]
                "ElasticQuota", home.root, home.namespace, change=change
            )
        )
        assert "[EQ1108]" in refused.message


def test_s07_a_write_of_the_whole_manifest_drops_figures_and_they_are_written_again(
    home: Pool, planner: User
) -> None:
    key = f"{PREFIX}runtime"
    home.pod("asks", "other")
    eventually(lambda: key in home.get("other")["metadata"]["annotations"], True)
    change = {"metadata": {"annotations": {key: None}}}
    planner.patch("ElasticQuota", home.name("other"), home.namespace, change=change)
    eventually(lambda: home.get("other")["metadata"]["annotations"][key], bool)
    home.delete_pods("asks")


@pytest.mark.parametrize(
    ("kind", "group", "plural", "name"),
    [
        ("ElasticQuota", "scheduling.sigs.k8s.io", "elasticquotas", "team"),
        ("ElasticQuotaProfile", "quota.koordinator.sh", "elasticquotaprofiles", ""),
    ],
)
def test_s07_not_even_a_tenant_who_may_write_statuses_forges_one(
    home: Pool, admin: User, planner: User, kind: str, group: str, plural: str, name: str
) -> None:
    subject = home.name(name) if name else "pool"
    change = {"status": {"observedGeneration": 99}}

    def attempt() -> users.RefusedError:
        return refusal(
            lambda: planner.patch(
                kind, subject, home.namespace, change=change, subresource="status"
            )
        )

    assert "cannot patch resource" in attempt().message
    role = tenants.role(admin, home.name(plural), group, [f"{plural}/status"], ["patch"])
    tenants.grant(admin, home.namespace, role, "planner")
    message = eventually(lambda: attempt().message, lambda text: "cannot patch" not in text)
    assert message == (
        policies.refusal("marks", f'{plural}.{group} "{subject}"')
        + "status may be written only by the controller, which says there what it saw and "
        "decided; what you want belongs into spec [EQ1108]"
    )
