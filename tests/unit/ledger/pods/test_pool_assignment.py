"""In which pool each pod is counted: by its node, its constraints, its choice or its job."""

import pytest

from elasticquota import names, pool_keys
from elasticquota.ledger.pods import pool_assignment
from elasticquota.model.clocks import Clocks
from elasticquota.model.constraints import EVERYWHERE, Constraints, NodeRequirement, NodeTerm
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.pools import Pool, Pools
from elasticquota.model.selector import Requirement, Selector
from elasticquota.model.workload import JobName, QueuedJob
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.structs import replace
from pool_worlds import GPU, MODEL, POOLS, PROFILE, PoolWorld, inside


def counted(world: PoolWorld, key: Key) -> dict[str, int]:
    """The GPUs of the request by pool."""
    found = world.ledger.update(Policy().accounting).index.counted(key)
    assert found is not None
    split = ((pool_keys.split(name), amount) for name, amount in found.request.items())
    return {each.pool: amount for each, amount in split if each is not None}


def test_a_pod_with_a_node_counts_in_the_pool_of_its_node() -> None:
    world = PoolWorld()
    world.gpu_quota("team", max={"a100": 2, "t4": 4})
    (pod,) = world.gpu_pods("team", on="t4-1")
    assert counted(world, pod.key) == {"t4": 1}


def test_a_pod_that_was_placed_elsewhere_than_admitted_counts_where_its_node_is() -> None:
    world = PoolWorld()
    world.gpu_quota("team", max={"a100": 2, "t4": 4})
    (pod,) = world.gpu_pods("team")
    assert counted(world, pod.key) == {"a100": 1}
    world.ledger.upsert_pod(replace(pod, gates=(), node_name="t4-0"))
    assert counted(world, pod.key) == {"t4": 1}


def test_a_pod_counts_again_when_its_node_changes_its_pool() -> None:
    world = PoolWorld()
    world.gpu_quota("team", max={"a100": 2, "t4": 4})
    (pod,) = world.gpu_pods("team", on="t4-0")
    world.gpu_node("t4-0", "a100")
    assert counted(world, pod.key) == {"a100": 1}
    world.gpu_node("t4-0", "h100")
    assert counted(world, pod.key) == {}


def test_a_pod_on_an_unknown_node_counts_where_its_constraints_lead_until_the_node_is_known() -> (
    None
):
    """The watch of nodes may be behind that of pods."""
    world = PoolWorld()
    world.gpu_quota("team", max={"a100": 2, "t4": 4})
    (pod,) = world.gpu_pods("team", on="late")
    assert counted(world, pod.key) == {"a100": 1}
    world.gpu_node("late", "t4")
    assert counted(world, pod.key) == {"t4": 1}
    world.ledger.delete_node("late")
    assert counted(world, pod.key) == {"a100": 1}


def test_a_waiting_pod_counts_where_its_node_affinity_leads() -> None:
    world = PoolWorld()
    world.gpu_quota("team", max={"a100": 2, "t4": 4})
    (pod,) = world.gpu_pods("team")
    term = NodeTerm((NodeRequirement(MODEL, "NotIn", ("a100",)),))
    world.ledger.upsert_pod(replace(pod, constraints=Constraints(terms=(term,))))
    assert counted(world, pod.key) == {"t4": 1}


def test_a_pod_too_large_for_every_node_of_a_pool_counts_in_the_next_one() -> None:
    world = PoolWorld()
    world.gpu_node("t4-big", "t4", gpus=4)
    world.gpu_quota("team", max={"a100": 9, "t4": 9})
    (pod,) = world.gpu_pods("team", gpus=4)
    assert counted(world, pod.key) == {"t4": 4}


def test_a_pod_that_only_nodes_of_no_pool_take_counts_in_none() -> None:
    world = PoolWorld()
    world.gpu_node("other", "h100")
    world.gpu_quota("team", max={"a100": 2, "t4": 4})
    (pod,) = world.gpu_pods("team", kind="h100")
    assert counted(world, pod.key) == {}
    world.settle()
    assert world.ledger.pods[pod.key].node_name == "other"


def test_a_pod_that_fits_into_no_pool_says_why_of_the_first_one_that_is_open_to_it() -> None:
    world = PoolWorld(a100=2, t4=2)
    world.gpu_quota("team", max={"a100": 0, "t4": 0})
    world.gpu_pods("team", kind="t4")
    (wait,) = world.decide().waits
    assert wait.reason == "ExceedsMax"
    assert "needs 1 nvidia.com/gpu of pool t4; the limit of quota team is 0" in wait.message


def test_a_pod_above_its_max_waits_for_a_pool_whose_nodes_have_yet_to_come() -> None:
    """In no pool no max would hold it."""
    world = PoolWorld(a100=0, t4=0)
    world.gpu_quota("team", max={"a100": 1, "t4": 1})
    (pod,) = world.gpu_pods("team", gpus=2, kind="t4")
    assert counted(world, pod.key) == {"t4": 2}
    assert world.decide().releases == ()


def test_a_choice_counts_until_the_pod_has_a_node() -> None:
    world = PoolWorld()
    world.gpu_quota("team", max={"a100": 2, "t4": 4})
    (pod,) = world.gpu_pods("team")
    world.ledger.remember(Clocks(pools={pod.uid: "t4"}))
    assert counted(world, pod.key) == {"t4": 1}
    world.ledger.remember(Clocks())
    assert counted(world, pod.key) == {"a100": 1}


def test_a_choice_of_a_pool_that_cannot_take_the_pod_does_not_count() -> None:
    world = PoolWorld()
    world.gpu_quota("team", max={"a100": 2, "t4": 0})
    (pod,) = world.gpu_pods("team")
    world.ledger.remember(Clocks(pools={pod.uid: "t4"}))
    assert counted(world, pod.key) == {"a100": 1}


def test_keys_that_a_user_made_up_do_not_count() -> None:
    world = PoolWorld()
    world.gpu_quota("team", max={"a100": 2, "t4": 4})
    (pod,) = world.gpu_pods("team", on="t4-0")
    forged = {**pod.request, **inside(a100=50), GPU: 1}
    world.ledger.upsert_pod(replace(pod, request=forged))
    assert counted(world, pod.key) == {"t4": 1}


def test_without_pools_nothing_is_counted_by_pool_and_with_them_again_all() -> None:
    world = PoolWorld()
    world.gpu_quota("team", max={"a100": 2, "t4": 4})
    (pod,) = world.gpu_pods("team", on="t4-0")
    world.set_pools(None)
    assert counted(world, pod.key) == {}
    world.set_pools(POOLS)
    assert counted(world, pod.key) == {"t4": 1}


def test_a_waiting_pod_counts_in_the_pool_that_its_profile_prefers_now() -> None:
    world = PoolWorld()
    world.gpu_quota("team", max={"a100": 2, "t4": 4})
    (pod,) = world.gpu_pods("team")
    assert counted(world, pod.key) == {"a100": 1}
    profile = world.ledger.profiles[PROFILE]
    world.ledger.upsert_profile(replace(profile, pools=Pools(POOLS.pools[::-1])))
    assert counted(world, pod.key) == {"t4": 1}


def test_while_pools_cannot_be_read_those_of_the_root_quota_count() -> None:
    world = PoolWorld()
    world.gpu_quota("team", max={"a100": 2, "t4": 4})
    (pod,) = world.gpu_pods("team", on="t4-0")
    world.set_pools(None, unreadable=True)
    assert counted(world, pod.key) == {"t4": 1}
    (wanted,) = world.decide().roots
    assert [each["name"] for each in wanted.tree["pools"]] == ["a100", "t4"]


@pytest.mark.parametrize("gone", [True, False])
def test_without_its_profile_or_selector_a_tree_keeps_the_pools_of_its_root(gone: bool) -> None:
    """A typo must not make room: what runs in a pool still counts there."""
    world = PoolWorld()
    world.gpu_quota("team", max={"a100": 2, "t4": 1})
    (pod,) = world.gpu_pods("team", on="t4-0")
    profile = world.ledger.profiles[PROFILE]
    if gone:
        world.ledger.delete_profile(PROFILE)
    else:
        nothing = Selector((Requirement("", "In", ()),))
        world.ledger.upsert_profile(replace(profile, selector=nothing, selects_unknown=True))
    assert counted(world, pod.key) == {"t4": 1}
    world.gpu_node("t4-0", "a100")
    assert counted(world, pod.key) == {"a100": 1}
    world.ledger.upsert_profile(profile)
    assert counted(world, pod.key) == {"a100": 1}


def test_resources_that_the_profile_names_are_counted_instead_of_devices() -> None:
    world = PoolWorld(pools=Pools(POOLS.pools, ("cpu",)))
    world.quota("team", 0, {"cpu": 9000, pool_keys.key("a100", "cpu"): 1000})
    pods = world.gpu_pods("team", 2, gpus=0)
    world.settle()
    nodes = sorted(world.ledger.pods[pod.key].node_name for pod in pods)
    assert nodes == ["a100-0", "t4-0"]


def test_a_job_counts_in_one_pool_and_its_pods_follow_it() -> None:
    world = PoolWorld(a100=1, t4=2)
    world.gpu_quota("team", max={"a100": 1, "t4": 2})
    one = {"cpu": 1000, GPU: 1, names.PODS: 1}
    label = "batch.kubernetes.io/job-name=j"
    job = QueuedJob(
        key=Key("teams", "job.batch/j"),
        uid="job",
        created=world.time(),
        name=JobName("Job", Key("teams", "j")),
        quota_label="team",
        request={key: 2 * amount for key, amount in one.items()},
        gates=(names.GATE,),
        labels=(label,),
        parts=(one,),
    )
    world.ledger.upsert_job(job)
    (release,) = world.decide().jobs.releases
    assert release.uid == "job"
    assert counted(world, job.key) == {"t4": 2}
    world.ledger.upsert_job(replace(job, gates=()))
    pod = Pod(
        Key("teams", "j-0"),
        "j-0",
        world.time(),
        quota_label="team",
        request=one,
        gates=(names.GATE,),
        jobs=(label,),
    )
    world.ledger.upsert_pod(pod)
    assert counted(world, pod.key) == {"t4": 1}
    assert counted(world, job.key) == {"t4": 1}
    assert [each.pod for each in world.decide().releases] == [pod.key]


def test_a_queued_job_counts_in_the_pool_to_which_its_templates_lead() -> None:
    world = PoolWorld(a100=2, t4=2)
    world.gpu_quota("team", max={"a100": 2, "t4": 2})
    one = {"cpu": 1000, GPU: 1, names.PODS: 1}
    job = QueuedJob(
        key=Key("teams", "job.batch/j"),
        uid="job",
        created=world.time(),
        name=JobName("Job", Key("teams", "j")),
        quota_label="team",
        request=one,
        gates=(names.GATE,),
        parts=(one,),
        constraints=replace(EVERYWHERE, selector=((MODEL, "t4"),)),
    )
    world.ledger.upsert_job(job)
    assert counted(world, job.key) == {"t4": 1}
    assert [each.uid for each in world.decide().jobs.releases] == ["job"]
    world.ledger.upsert_job(replace(job, constraints=replace(EVERYWHERE, selector=(("x", "y"),))))
    assert world.decide().jobs.releases == ()
    (wait,) = world.decide().jobs.waits
    assert "no node of the tree is for it" in wait.message


@pytest.mark.parametrize(
    ("constraints", "ruled_out"),
    [
        (Constraints(), False),
        (Constraints((("zone", "x"),)), False),
        (Constraints((("gpu", "t4"),)), True),
        (Constraints((("gpu", "a100"),)), False),
        (Constraints(terms=(NodeTerm((NodeRequirement("gpu", "NotIn", ("a100",)),)),)), True),
        (
            Constraints(
                terms=(
                    NodeTerm((NodeRequirement("gpu", "DoesNotExist"),)),
                    NodeTerm((NodeRequirement("zone", "In", ("x",)),)),
                )
            ),
            False,
        ),
    ],
)
def test_labels_of_a_pool_alone_can_rule_it_out(constraints: Constraints, ruled_out: bool) -> None:
    pool = Pool("a100", (("gpu", "a100"),))
    assert pool_assignment.is_ruled_out(pool, constraints) is ruled_out
