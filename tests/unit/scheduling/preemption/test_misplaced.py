"""A waiting pod that admission would have refused still waits, and its message says why."""

from elasticquota.forest.settings import TreeSelection
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.decision import Decisions
from elasticquota.model.key import Key
from elasticquota.scheduling.inputs.policy import Policy
from sentences import why
from worlds import World


REFUSED = TreeSelection(usually=True)
ALLOWED = TreeSelection(usually=False)
DENY = Policy(accounting=Accounting(unknown_refused=REFUSED))
DENY_AND_NO_DEFAULT = Policy(accounting=Accounting(unknown_refused=REFUSED, default_quota=False))
UNKNOWN = (
    "QuotaNotAccepted: there is no quota 'ghost'. Correct the name, or create that quota [PD1306]"
)


def told(decisions: Decisions) -> list[tuple[str, str]]:
    assert decisions.releases == ()
    return [(wait.reason, why(wait.message)) for wait in decisions.waits]


def test_in_a_parent_quota_it_asks_for_nothing_and_waits() -> None:
    world = World()
    world.quota("dept", is_parent=True)
    world.pods("dept", waiting=True)
    decisions = world.decide()
    assert told(decisions) == [
        (
            "QuotaNotAccepted",
            "QuotaNotAccepted: 'dept' is a parent quota, which holds quotas and no pods. Name "
            "one of its leaf quotas [PD1301].",
        )
    ]
    (status,) = [status for status in decisions.statuses if status.key.name == "dept"]
    assert status.request.get("cpu", 0) == 0


def test_in_a_parent_quota_it_is_admitted_where_parents_may_hold_pods() -> None:
    world = World()
    world.quota("dept", is_parent=True)
    world.pods("dept", waiting=True)
    tree = world.ledger.quotas[Key("teams", "dept")].tree_id
    for choice in (ALLOWED, TreeSelection(usually=True, other_trees=frozenset({tree}))):
        allowed = Policy(accounting=Accounting(in_parents_refused=choice))
        assert [release.quota for release in world.decide(policy=allowed).releases] == ["dept"]


def test_a_pod_that_runs_in_a_parent_quota_is_counted_there() -> None:
    world = World()
    world.quota("dept", is_parent=True)
    world.pods("dept", cpu=2)
    (status,) = [each for each in world.decide().statuses if each.key.name == "dept"]
    assert status.used["cpu"] == 2000


def test_with_an_unknown_quota_it_waits_until_that_quota_exists() -> None:
    world = World()
    world.quota("team", namespace="teams", namespaces=("teams",))
    (pod,) = world.pods("ghost", waiting=True)
    assert told(world.decide(policy=DENY)) == [("QuotaNotAccepted", f"{UNKNOWN}.")]
    world.quota("ghost")
    assert [each.uid for each in world.decide(policy=DENY).releases] == [pod.uid]


def test_with_an_unknown_quota_it_waits_also_where_no_quota_takes_it() -> None:
    world = World()
    world.pods("ghost", waiting=True)
    assert told(world.decide(policy=DENY_AND_NO_DEFAULT)) == [("QuotaNotAccepted", f"{UNKNOWN}.")]


def test_with_an_unknown_quota_it_counts_where_its_namespace_is_bound() -> None:
    world = World()
    world.quota("team", namespaces=("teams",))
    world.pods("ghost", waiting=True)
    assert [release.quota for release in world.decide().releases] == ["team"]


def test_system_pods_are_admitted_whatever_their_quota_label() -> None:
    world = World()
    (pod,) = world.pods("ghost", waiting=True, namespace="kube-system")
    decisions = world.decide(policy=DENY)
    assert decisions.waits == ()
    assert [release.uid for release in decisions.releases] == [pod.uid]


def test_in_a_quota_that_takes_no_pods_of_its_namespace_it_waits() -> None:
    world = World()
    world.quota("team", allowed_namespaces=("theirs",))
    (pod,) = world.pods("team", waiting=True)
    assert told(world.decide()) == [
        (
            "QuotaNotAccepted",
            f"QuotaNotAccepted: 'team' accepts no pods from namespace '{pod.key.namespace}', only "
            "from theirs. Name a quota of your own [PD1307].",
        )
    ]
    world.quota("team", allowed_namespaces=(pod.key.namespace,))
    assert [release.pod for release in world.decide().releases] == [pod.key]


def test_in_the_quota_of_others_a_pod_of_a_bound_namespace_waits_until_its_own_is_gone() -> None:
    world = World()
    world.quota("team", namespaces=("theirs",))
    world.quota("other")
    (pod,) = world.pods("other", waiting=True, namespace="theirs")
    assert told(world.decide()) == [
        (
            "QuotaNotAccepted",
            "QuotaNotAccepted: 'other' accepts no pods from namespace 'theirs', which 'team' "
            "binds. Name a quota of your own [PD1307].",
        )
    ]
    world.quota("team")
    assert [release.pod for release in world.decide().releases] == [pod.key]


def test_in_a_quota_that_binds_namespaces_a_pod_of_another_waits() -> None:
    world = World()
    world.quota("team", namespaces=("theirs",))
    (pod,) = world.pods("team", waiting=True, namespace="nobodys")
    assert told(world.decide())[0][1].endswith("[PD1307].")
    as_koordinator_has_it = Policy(accounting=Accounting(external_refused=ALLOWED))
    decisions = world.decide(policy=as_koordinator_has_it)
    assert [release.pod for release in decisions.releases] == [pod.key]


def test_a_pod_labeled_with_the_default_quota_counts_where_its_namespace_is_bound() -> None:
    world = World()
    world.pods("koordinator-default-quota", cpu=2, namespace="theirs")
    world.decide()
    world.quota("team", namespaces=("theirs",))
    (status,) = [each for each in world.decide().statuses if each.key.name == "team"]
    assert status.used["cpu"] == 2000
