"""A tree in observe mode holds and evicts no pod, and may change its mode under load."""

import re

import pytest

import audit
from installation import BY_BOTH, Installation, Kubectl
from local_cluster import cluster as local
from open_schema import without_schema
from scenes import PREFIX, Pool, condition, gates, refusal
from waiting import eventually, stays


pytestmark = [pytest.mark.cluster, BY_BOTH]

PROFILE_CRD = "elasticquotaprofiles.quota.koordinator.sh"


@pytest.fixture
def teams(pool: Pool) -> Pool:
    """16 cpu: small binds the namespace and may have 2 of them, the teams are guaranteed 8 each."""
    bound = {f"{PREFIX}namespaces": f'["{pool.namespace}"]'}
    pool.quota("small", min=0, max=2, annotations=bound)
    pool.quota("team-a", min=8, max=16)
    pool.quota("team-b", min=8, max=16)
    return pool


def choose(pool: Pool, mode: str | None) -> None:
    """Edit the profile, and wait for nothing."""
    change = {"spec": {"enforcement": mode}}
    pool.admin.patch("ElasticQuotaProfile", "pool", pool.namespace, change=change)


def observed(pool: Pool, *shorts: str) -> list[str]:
    return [condition(pool.get(short), "Observed")["status"] for short in shorts]


def would_go(pool: Pool, quota: str) -> int:
    """How many running pods say that enforcing would reclaim them."""
    return sum("QuotaWouldReclaim" in pool.events(pod) for pod in pool.running(quota))


def evictions(cluster: local.Cluster, pool: Pool) -> list[str]:
    return [
        write.name
        for write in audit.writes(cluster.audit_log, "pods/eviction", pool.namespace)
        if write.code == 201
    ]


def test_a_pod_of_a_tree_in_observe_mode_is_neither_held_nor_changed(teams: Pool) -> None:
    choose(teams, "Observe")
    eventually(lambda: observed(teams, "small"), ["True"])

    def as_it_was_written() -> bool:
        """The webhook or policy that holds new pods learns of the mode a moment later."""
        teams.pod("trial", None)
        pod = teams.get_pod("trial")
        teams.delete_pods("trial")
        return (
            gates(pod) == [] and "affinity" not in pod["spec"] and not pod["metadata"].get("labels")
        )

    eventually(as_it_was_written, True)
    small = teams.pods("small", 4)
    eventually(lambda: len(teams.running("small")), 4)
    # Among pods created in the same second, the uid decides which is the youngest.
    told = eventually(
        lambda: [
            found["QuotaWouldWait"]
            for found in map(teams.events, small)
            if "QuotaWouldWait" in found
        ],
        lambda found: len(found) >= 2,
    )
    # How many of the four ran when the event was written depends on the moment.
    beyond = r"(all 2 of its current share|[34] of its current share of 2) are in use"
    waiting = (
        f"only observed, nothing was done: Waiting for quota {teams.name('small')}: needs 1 cpu; "
    )
    assert all(re.match(f"{re.escape(waiting)}{beyond}", said) for said in told), told
    eventually(lambda: teams.used("small"), "4")


def test_a_tree_changes_its_mode_twice_while_pods_are_created(
    teams: Pool, cluster: local.Cluster
) -> None:
    teams.pods("small", 3, prefix="first")
    eventually(lambda: len(teams.gated("small")), 1)
    choose(teams, "Observe")
    teams.pods("small", 3, prefix="second")
    eventually(lambda: len(teams.running("small")), 6)
    stays(teams.gated, set())
    eventually(lambda: observed(teams, "small", "team-a"), ["True", "True"])
    eventually(lambda: would_go(teams, "small"), 4)
    assert evictions(cluster, teams) == []

    choose(teams, "Enforce")
    teams.pods("small", 3, prefix="third")
    eventually(lambda: observed(teams, "small"), [""])
    eventually(lambda: len(teams.running("small")), 2, within=60)
    gone = eventually(lambda: evictions(cluster, teams), lambda found: len(found) >= 4)
    teams.pods("small", 2, prefix="fourth")
    held = eventually(lambda: teams.gated("small"), lambda found: len(found) >= 2)

    choose(teams, None)
    eventually(lambda: observed(teams, "small"), [""])
    assert teams.gated("small") == held, "enforce is the default"

    choose(teams, "Observe")
    teams.pods("small", 2, prefix="fifth")
    eventually(lambda: teams.gated("small"), set())
    eventually(lambda: len(teams.running("small")), 2 + len(held) + 2)
    released = eventually(lambda: teams.events("fourth-0"), lambda seen: "QuotaAdmitted" in seen)
    assert released["QuotaAdmitted"] == (
        f"Admitted into quota {teams.name('small')}: tree {teams.root} only observes."
    )
    assert evictions(cluster, teams) == gone


def test_who_has_a_tree_observe_learns_how_many_pods_start(teams: Pool, kubectl: Kubectl) -> None:
    pods = teams.pods("small", 5)
    eventually(lambda: len(teams.running("small")), 2)
    eventually(lambda: teams.root_quota()["status"]["pods"]["gated"], 3)
    change = '{"spec": {"enforcement": "Observe"}}'
    edit = ("patch", "eqp", "pool", "-n", teams.namespace, "--type=merge", "-p", change)
    for how in (("--dry-run=server",), ()):
        said = kubectl.attempt(*edit, *how)
        assert said.returncode == 0
        assert "Warning: 3 pods of the tree that wait now will be released at once" in said.stderr
    eventually(lambda: teams.running("small"), set(pods))


def test_a_quota_gets_its_share_once_the_tree_enforces(teams: Pool, cluster: local.Cluster) -> None:
    """Both teams start without limits; team-b's pods find the nodes full."""
    choose(teams, "Observe")
    eventually(lambda: observed(teams, "team-b"), ["True"])
    teams.pods("team-a", 16)
    eventually(lambda: len(teams.running("team-a")), 16)
    teams.pods("team-b", 2)
    eventually(lambda: gates(teams.get_pod("team-b-1")), [])
    eventually(lambda: would_go(teams, "team-a"), 2)
    stays(lambda: (teams.running("team-b"), evictions(cluster, teams)), (set(), []))
    choose(teams, "Enforce")
    eventually(lambda: len(teams.running("team-b")), 2, within=60)
    assert len(evictions(cluster, teams)) == 2
    assert len(teams.running("team-a")) == 14


def test_an_invalid_mode_is_refused_and_a_stored_one_is_reported(
    teams: Pool, product: Installation
) -> None:
    refused = refusal(lambda: choose(teams, "dry-run")).message
    assert 'spec.enforcement: Unsupported value: "dry-run"' in refused
    assert 'supported values: "Enforce", "Observe"' in refused
    probe = teams.profile_manifest(enforcement="dry-run")
    with without_schema(teams.admin, PROFILE_CRD, probe):
        with product.unguarded():
            choose(teams, "dry-run")
            ready = eventually(
                lambda: condition(
                    teams.admin.get("ElasticQuotaProfile", "pool", teams.namespace), "Ready"
                ),
                lambda found: found["reason"] == "InvalidSpec",
            )
        assert ready["message"] == (
            "spec.enforcement: must be one of Enforce, Observe, got 'dry-run', which counts as "
            "the configuration of all trees. [EP1201]"
        )
        teams.pods("small", 3)
        eventually(lambda: len(teams.running("small")), 2)
        assert len(teams.gated("small")) == 1
        choose(teams, None)
