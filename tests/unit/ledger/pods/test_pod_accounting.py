"""How pods and jobs count, one by one."""

from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.structs import replace
from worlds import World


TRAIN = Group("train", 3)
GROUP = Key("teams", "train")


def test_as_many_pods_as_start_together_run_as_a_gang_and_the_rest_is_surplus() -> None:
    world = World()
    world.quota("team-a")
    pods = world.pods("team-a", 4, group=TRAIN)
    cluster = world.ledger.update(Accounting())
    gang = cluster.index.running_gang(GROUP, "team-a")
    assert gang is not None
    assert (gang.key, gang.pods, gang.surplus) == (GROUP, tuple(pods[:3]), (pods[3],))


def test_a_pod_that_leaves_is_no_part_of_the_gang_that_goes_on() -> None:
    world = World()
    world.quota("team-a")
    pods = world.pods("team-a", 3, group=TRAIN)
    world.ledger.expect_eviction(pods[0].uid)
    cluster = world.ledger.update(Accounting())
    gang = cluster.index.running_gang(GROUP, "team-a")
    assert gang is not None
    assert gang.pods == tuple(pods[1:])


def test_one_pod_is_no_gang_and_neither_is_a_group_without_pods() -> None:
    world = World()
    world.quota("team-a")
    world.pods("team-a", group=TRAIN)
    cluster = world.ledger.update(Accounting())
    assert cluster.index.running_gang(GROUP, "team-a") is None
    assert cluster.index.running_gang(Key("teams", "other"), "team-a") is None


def test_pods_of_another_quota_are_no_part_of_a_gang() -> None:
    world = World()
    world.quota("team-a")
    world.quota("team-b")
    pods = world.pods("team-a", 2, group=TRAIN)
    world.pods("team-b", group=TRAIN)
    cluster = world.ledger.update(Accounting())
    gang = cluster.index.running_gang(GROUP, "team-a")
    assert gang is not None
    assert gang.pods == tuple(pods)
    assert cluster.index.running_gang(GROUP, "team-b") is None


def test_the_pods_of_a_job_are_known_while_it_is_counted() -> None:
    world = World()
    world.quota("team-a")
    job = world.job("team-a", "train", 3, admitted=True)
    pods = world.pods("team-a", 2, job="train")
    cluster = world.ledger.update(Accounting())
    assert cluster.index.pods_of(job.key) == {pod.key: pod for pod in pods}
    assert cluster.index.pods_of(Key("teams", "job.batch/other")) == {}


def test_what_comes_and_goes_leaves_no_trace() -> None:
    world = World(nodes=1)
    world.quota("team-a")
    world.ledger.set_time(10**9)
    pods = [
        *world.pods("team-a", 2, group=TRAIN),
        *world.pods("team-a", waiting=True),
        *world.pods("team-a", cpu=999, waiting=True),
        *world.pods("team-a", deleting=True),
        *world.pods("team-a", bound=False, unplaced_since=0),
        *world.pods("team-a", 2, job="train"),
        *world.pods("team-a", 1, job="train", waiting=True),
    ]
    job = world.job("team-a", "train", 4, admitted=True)
    cluster = world.ledger.update(Accounting())
    assert (cluster.leaving, cluster.stuck) == ({"team-a"}, {"team-a"})
    assert cluster.covered == {pods[-1].key}
    assert list(cluster.unplaced) == [pods[-1].key]
    for pod in pods:
        world.ledger.delete_pod(pod.key)
    world.ledger.delete_job(job.key)
    cluster = world.ledger.update(Accounting())
    assert cluster.accounts == {}
    assert cluster.leaving == cluster.stuck == set()
    assert cluster.covered == set()
    assert cluster.unplaced == {}
    assert cluster.changes_in is None


def test_a_job_that_is_evicted_leaves_with_its_pods() -> None:
    world = World()
    world.quota("team-a")
    job = world.job("team-a", "train", 3, admitted=True)
    (pod,) = world.pods("team-a", job="train")
    world.ledger.upsert_job(replace(job, deleting=True))
    account = world.ledger.update(Accounting()).account("team-a")
    assert account.leaving == {job.key, pod.key}
    assert account.returning["cpu"] == 3_000
