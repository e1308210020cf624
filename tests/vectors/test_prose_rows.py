"""Rows whose expectation is prose: one test by hand each, named after the row."""

import pathlib
import re

from elasticquota import names, resources
from elasticquota.forest import acceptance
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.wire.codec import merge
from elasticquota.wire.quota import statuses
from tests.vectors import product, prose, quota_store
from tests.vectors.product import Cluster


FIFTY = {"cpu": 50_000, "memory": 50}
CPU = {"cpu": 1_000_000}
SIZE = resources.parse({"cpu": "10", "memory": "10"})


def test_every_prose_row_has_one_test_here() -> None:
    tests = re.findall(
        r"^def test_([a-z]+)_(\d+)_", pathlib.Path(__file__).read_text("utf-8"), re.MULTILINE
    )
    assert sorted("-".join(test) for test in tests) == sorted(prose.PROSE)


def test_scale_09_an_unknown_quota_has_no_min() -> None:
    children = [product.make_quota(name, min=FIFTY, parent="100") for name in ("1", "2", "3")]
    quotas = [product.make_quota("100", is_parent=True), *children]
    forest = acceptance.build(quotas)
    found = product.tree(quotas, FIFTY, {}, {})
    for name in ("101", "11"):
        assert not forest.accepted(name)
        assert forest.path(name) == ()
        assert name not in found.runtime
        assert name not in found.children


def test_wseq_06_a_child_of_a_tree_root_is_in_its_tree_and_stays_there() -> None:
    store = quota_store.Store()
    assert store.create(quota_store.manifest("root", tree_id="1", is_parent=True))
    assert store.create(quota_store.manifest("other-root", tree_id="2", is_parent=True))
    assert store.create(quota_store.manifest("child", "root"))
    child = store.manifests["child"]
    assert child["metadata"]["labels"][names.TREE_ID] == "1"
    moved = quota_store.manifest("child", "other-root", tree_id="1")
    assert not store.update("child", moved)
    assert not store.create(quota_store.manifest("stranger", "root", tree_id="dfafda"))


def test_rev_04_over_use_is_reclaimed_only_when_it_outlasts_the_delay() -> None:
    cluster = Cluster()
    cluster.node("node", {"cpu": 0, "memory": 0})
    cluster.quota(product.make_quota("q", max={"cpu": 2**62, "memory": 2**62}))
    assert not cluster.evicts(0, Policy())
    pod = cluster.pod("pod", "q", CPU, node="node")
    assert not cluster.evicts(1_000, Policy())
    assert not cluster.evicts(120_999, Policy())
    cluster.ledger.delete_pod(pod.key)
    assert not cluster.evicts(121_000, Policy())
    cluster.pod("pod", "q", CPU, node="node")
    assert not cluster.evicts(122_000, Policy())
    assert cluster.evicts(122_000, Policy(delay=0))


def test_acc_09_pods_of_a_quota_that_comes_later_move_to_it() -> None:
    cluster = Cluster()
    for number in range(4):
        cluster.pod(f"pod-{number}", "test1", SIZE, node="node")
    four = resources.add(SIZE, SIZE, SIZE, SIZE)
    assert cluster.requested(names.DEFAULT_QUOTA) == four
    cluster.quota(product.make_quota("test1"))
    assert cluster.requested("test1") == four
    assert cluster.requested(names.DEFAULT_QUOTA) == {}


def test_st_03_nothing_is_written_when_nothing_changed() -> None:
    cluster = Cluster()
    cluster.node("node", SIZE)
    cluster.quota(product.make_quota("q", max=SIZE))
    cluster.pod("pod", "q", SIZE, node="node")
    (before,), (after,) = cluster.decide().statuses, cluster.decide().statuses
    written, again = statuses.quota_status(before), statuses.quota_status(after)
    assert written["used"] == {"cpu": "10", "memory": "10"}
    assert merge.difference(written, again) == {}
