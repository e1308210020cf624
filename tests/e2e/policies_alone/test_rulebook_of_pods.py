"""The policy about reserved quotas has the verdict of the rule about pods (PD1307)."""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
import pytest

import namespaces
import rulebook
from elasticquota.forest.membership import Membership
from elasticquota.validation import chains
from elasticquota.wire.kubernetes import pods
from scenes import PREFIX, Pool
from users import User


pytestmark = pytest.mark.cluster

ROOT: Final = "koordinator-root-quota"
DEFAULT: Final = "koordinator-default-quota"
BOUND, FREE = "a namespace that a quota binds", "one that none binds"
NAMED: Final = [
    ("no quota", BOUND, None, set(), set()),
    ("the quota of the namespace", BOUND, "taker", set(), set()),
    ("the root quota", BOUND, ROOT, {"PD1307"}, {"PD1307"}),
    ("the system quota", BOUND, "koordinator-system-quota", {"PD1307"}, {"PD1307"}),
    ("the default quota", BOUND, DEFAULT, {"PD1307"}, {"PD1307"}),
    ("the default quota where none binds", FREE, DEFAULT, set(), set()),
    ("another quota", BOUND, "team", set(), {"PD1307"}),
]
"""Pods: what they name, from which namespace; the codes of the policy and those of the rules. Whose
pods a quota takes is left to the rules, as it follows from all quotas."""


@pytest.fixture(scope="module")
def namespaces_of(home: Pool, admin: User, victim: str) -> Iterator[Mapping[str, str]]:
    bound = namespaces.new(admin)
    home.quota("taker", max=4, namespaces=[bound])
    # Written by the controller where the API server holds new pods, which it does not here.
    mark = {"metadata": {"labels": {"elasticquota.dev/quota": home.name("taker")}}}
    admin.patch("Namespace", bound, change=mark)
    yield {BOUND: bound, FREE: victim}
    admin.delete("ElasticQuota", home.name("taker"), home.namespace)
    admin.delete("Namespace", bound)


@pytest.mark.parametrize(
    ("where", "quota", "by_policy", "by_rules"),
    [pytest.param(*each, id=what) for what, *each in NAMED],
)
def test_a_pod_that_names_a_quota(
    where: str,
    quota: str | None,
    by_policy: set[str],
    by_rules: set[str],
    home: Pool,
    namespaces_of: Mapping[str, str],
    admin: User,
) -> None:
    named = home.name(quota) if quota in ("taker", "team") else quota
    labels = {} if named is None else {f"{PREFIX}name": named}
    pod = home.pod_manifest("judged", None, namespace=namespaces_of[where], labels=labels)
    members = Membership(rulebook.forest(admin))
    read = pods.read(msgspec.convert(pod, pods.PodManifest))
    judged = chains.judge_pod(read, members)
    assert rulebook.codes(lambda: admin.create(pod, dry_run=True)) == by_policy
    assert {found.code for found in judged.refused} == by_rules
