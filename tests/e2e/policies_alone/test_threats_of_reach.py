"""A quota reaches past its sums, or into other users' namespaces: the policies alone refuse it.

Named after the threats of docs/threats.md.
"""

import json
from collections.abc import Iterator

import pytest

import namespaces
import policies
import tenants
from scenes import PREFIX, Pool, condition, refusal
from users import Document, User
from waiting import eventually


pytestmark = pytest.mark.cluster

ADMINISTRATORS = "those who may update elasticquotas in namespace elastic-quota-system"
FORCE = f"{PREFIX}allow-force-update"
NAMESPACES = f"{PREFIX}namespaces"


def test_s08_a_tenant_cannot_force_its_quota_past_the_sums(home: Pool, planner: User) -> None:
    forced = home.quota_manifest("forced", min=1, max=1, labels={FORCE: "true"})
    refused = refusal(lambda: planner.create(forced))
    assert refused.code == 403
    assert refused.message == (
        policies.on_quota("force", home.name("forced"))
        + f"metadata.labels[{FORCE}] exempts a quota from the sums of its parent, so only "
        f"{ADMINISTRATORS} may set it. Leave it out, or ask one of them. [EQ1109]"
    )
    change: Document = {"metadata": {"labels": {FORCE: "true"}}}
    refused = refusal(
        lambda: planner.patch("ElasticQuota", home.name("team"), home.namespace, change=change)
    )
    assert "may set it" in refused.message


@pytest.fixture
def lifted(home: Pool) -> Iterator[str]:
    """A quota that an administrator forced, and that still has the label."""
    home.quota("lifted", min=1, max=8, labels={FORCE: "true"})
    yield home.name("lifted")
    home.admin.delete("ElasticQuota", home.name("lifted"), home.namespace)


@pytest.mark.parametrize(
    "change",
    [{"spec": {"min": {"cpu": "8"}}}, {"metadata": {"labels": {f"{PREFIX}parent": "elsewhere"}}}],
    ids=["min", "parent"],
)
def test_s08_a_tenant_cannot_use_the_force_label_that_an_administrator_left(
    home: Pool, planner: User, lifted: str, change: Document
) -> None:
    refused = refusal(lambda: planner.patch("ElasticQuota", lifted, home.namespace, change=change))
    assert f"so only {ADMINISTRATORS} may change the quota under it." in refused.message


def test_s08_a_tenant_may_do_everything_that_needs_no_force(
    home: Pool, planner: User, lifted: str
) -> None:
    notes = {"metadata": {"annotations": {"team.example/contact": "alice"}}}
    planner.patch("ElasticQuota", lifted, home.namespace, change=notes)
    change = {"metadata": {"labels": {FORCE: None}}, "spec": {"min": {"cpu": "2"}}}
    planner.patch("ElasticQuota", lifted, home.namespace, change=change)


def binding(home: Pool, short: str, text: str) -> Document:
    return home.quota_manifest(short, min=1, max=1, annotations={NAMESPACES: text})


def test_s09_a_tenant_cannot_bind_the_namespace_of_another_user(
    home: Pool, planner: User, victim: str
) -> None:
    text = f'[ "{home.namespace}" , "{victim}" ]'
    refused = refusal(lambda: planner.create(binding(home, "grasping", text)))
    assert refused.code == 403
    assert refused.message == (
        policies.on_quota("namespaces", home.name("grasping"))
        + f"metadata.annotations[{NAMESPACES}] may bind {victim} only by a user who "
        f"may update elasticquotas there. Leave it out, or ask one of {ADMINISTRATORS}. [EQ1004]"
    )
    by_field = home.quota_manifest("grasping", min=1, max=1)
    by_field["spec"]["namespaces"] = [home.namespace, victim]
    refused = refusal(lambda: planner.create(by_field))
    assert f"spec.namespaces may bind {victim} only by a user who" in refused.message
    change: Document = {"spec": {"namespaces": [victim]}}
    refused = refusal(
        lambda: planner.patch("ElasticQuota", home.name("team"), home.namespace, change=change)
    )
    assert f"spec.namespaces may bind {victim} only by" in refused.message
    change = {"metadata": {"annotations": {NAMESPACES: f'["{victim}"]'}}}
    refused = refusal(
        lambda: planner.patch("ElasticQuota", home.name("team"), home.namespace, change=change)
    )
    assert f"may bind {victim} only by" in refused.message


@pytest.mark.parametrize(
    "text",
    [
        '["\\u0076ictim"]',
        '["a"] "victim"',
        '{"victim": 1}',
        "victim",
        '["victim\\"]',
        '["Victim"]',
        "[" + "\n" * 5000 + "]",
    ],
    ids=["escaped", "two values", "map", "bare", "open", "capital", "long"],
)
def test_s09_a_value_that_is_not_a_plain_list_binds_nothing(
    home: Pool, planner: User, text: str
) -> None:
    refused = refusal(lambda: planner.create(binding(home, "grasping", text)))
    assert refused.message == (
        policies.on_quota("namespaces", home.name("grasping"))
        + f"metadata.annotations[{NAMESPACES}] must be a JSON list of names of namespaces such as "
        '["team-a", "team-b"], of no more than 2048 characters [EQ1004]'
    )


@pytest.mark.parametrize("count", [9, 200])
def test_s09_a_tenant_binds_at_most_8_namespaces_at_once(
    home: Pool, planner: User, count: int
) -> None:
    """Each costs a question to the authorizer, and the cost of a policy is limited."""
    text = json.dumps([f"n{number}" for number in range(count)])
    refused = refusal(lambda: planner.create(binding(home, "grasping", text)))
    assert f"[{NAMESPACES}] may bind no more than 8 other namespaces at once." in refused.message


def test_s09_the_last_of_8_counts_like_the_first(
    home: Pool, admin: User, planner: User, victim: str
) -> None:
    friends = [f"n{number}" for number in range(7)]
    for friend in friends:
        admin.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": friend}})
        tenants.grant(admin, friend, "elastic-quota-admin", "planner", home=home.namespace)
    eventually(
        lambda: planner.create(binding(home, "broad", json.dumps(friends)), dry_run=True), bool
    )
    text = json.dumps([*friends, victim])
    refused = refusal(lambda: planner.create(binding(home, "grasping", text)))
    assert f"n6, {victim} only by a user who may update elasticquotas there" in refused.message
    for friend in friends:
        admin.delete("Namespace", friend)


def test_s09_a_namespace_that_is_already_bound_is_not_checked_again(
    home: Pool, admin: User, planner: User
) -> None:
    many = [f"x{number}" for number in range(300)]
    admin.create(binding(home, "broad", json.dumps(many, separators=(",", ":"))))
    text = json.dumps([*many[1:], home.namespace], separators=(",", ":"))
    change = {"metadata": {"annotations": {NAMESPACES: text}}}
    planner.patch("ElasticQuota", home.name("broad"), home.namespace, change=change)
    admin.delete("ElasticQuota", home.name("broad"), home.namespace)


def test_s09_a_tenant_may_bind_namespaces_in_which_it_may_write_quotas(
    home: Pool, admin: User, planner: User
) -> None:
    friends = [namespaces.new(admin) for _ in range(2)]
    for friend in friends:
        tenants.grant(admin, friend, "elastic-quota-admin", "planner", home=home.namespace)
    text = f'["{home.namespace}", "{friends[0]}", "{friends[1]}"]'
    eventually(lambda: planner.create(binding(home, "friendly", text), dry_run=True), bool)
    for friend in friends:
        admin.delete("Namespace", friend)


def test_s09_a_quota_named_like_a_bound_namespace_takes_none_of_its_pods(
    home: Pool, admin: User, victim: str
) -> None:
    bound = admin.create(binding(home, "broad", f'["{victim}"]'))["metadata"]
    younger = home.quota_manifest("named", max=8)
    younger["metadata"] |= {"name": victim, "namespace": victim}
    # Of two that were created in one second the uid would decide.
    eventually(
        lambda: admin.create(younger, dry_run=True)["metadata"]["creationTimestamp"],
        lambda created: created > bound["creationTimestamp"],
    )
    admin.create(younger)
    admin.create(home.pod_manifest("unlabelled", None, namespace=victim))
    eventually(lambda: home.used("broad"), "1")
    message = condition(admin.get("ElasticQuota", victim, victim), "Accepted")["message"]
    assert f"namespace '{victim}' is bound by quota '{bound['name']}'" in message
    admin.delete("Pod", "unlabelled", victim)
    admin.delete("ElasticQuota", victim, victim)
    admin.delete("ElasticQuota", bound["name"], home.namespace)


def test_s09_a_namespace_bound_by_an_administrator_stays_bound_in_later_edits(
    home: Pool, admin: User, planner: User, victim: str
) -> None:
    home.admin.create(binding(home, "broad", f'["{victim}"]'))
    quota = home.name("broad")

    def write(text: str) -> Document:
        change = {"metadata": {"annotations": {NAMESPACES: text}}}
        return planner.patch("ElasticQuota", quota, home.namespace, change=change)

    planner.patch("ElasticQuota", quota, home.namespace, change={"spec": {"max": {"cpu": "2"}}})
    write(f'["{victim}", "{home.namespace}"]')
    assert "may bind third only by" in refusal(lambda: write(f'["{victim}", "third"]')).message
    write("[]")
    assert f"may bind {victim} only by" in refusal(lambda: write(f'["{victim}"]')).message
    admin.delete("ElasticQuota", quota, home.namespace)
