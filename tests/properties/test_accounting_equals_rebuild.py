"""Law: for all accounting switches, an incremental ledger has the figures of a new ledger.

Semantics 4 (switches of accounting) and 8 ("every published value equals a full recompute"). Here
time is an input of its own, which moves forwards and backwards, and pods stop counting without an
event.
"""

from hypothesis import given
from hypothesis import strategies as st

import effort
import figures
from elasticquota import names
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota
from elasticquota.structs import replace


CHOICES = st.builds(
    Accounting,
    default_quota=st.booleans(),
    ignore_overhead=st.booleans(),
    ignore_terminating=st.sampled_from(("never", "afterGrace", "afterGrace", "atOnce")),
    unschedulable_timeout=st.sampled_from((0, 1, 2)),
)
NODES = [Node(name, "", {}, {"cpu": 8, "pods": 9}) for name in ("n0", "n1")]
QUOTAS = [
    Quota(Key("teams", "a"), "a", "1", min={"cpu": 3}),
    Quota(Key("teams", "root"), "r", "2", is_parent=True, is_root=True, tree_id="42"),
    Quota(Key("teams", "b"), "b", "3", parent="root", tree_id="42", namespaces=("bound",)),
]
PODS = st.builds(
    lambda key, **facts: Pod(key, uid=str(key), **facts),
    st.builds(Key, st.sampled_from(("free", "bound")), st.sampled_from(("p", "q"))),
    created=st.just(""),
    quota_label=st.sampled_from(("", "a", "b", "ghost")),
    request=st.integers(2, 5).map(lambda cpu: {"cpu": cpu, "pods": 1}),
    overhead=st.sampled_from(({}, {"cpu": 1})),
    node_name=st.sampled_from(("", "n0", "n1")),
    gates=st.sampled_from(((), (names.GATE,))),
)
TIMES = st.integers(1, 5)
UNPLACED = st.builds(
    lambda pod, since: replace(pod, node_name="", gates=(), unplaced_since=since), PODS, TIMES
)
DOOMED = st.builds(
    lambda pod, end: replace(pod, deleting=True, gone_after=end), PODS, st.none() | TIMES
)


@effort.one_in(2)
@given(
    CHOICES,
    st.lists(PODS | UNPLACED | DOOMED | DOOMED | TIMES | st.sampled_from(QUOTAS), max_size=15),
)
def test_incremental_figures_are_those_of_a_new_ledger(
    chosen: Accounting, moments: list[Pod | int | Quota]
) -> None:
    """A quota that occurs a second time is deleted, and the third time it is added again."""
    live, time = Ledger(), 0
    for node in NODES:
        live.upsert_node(node)
    for moment in [*QUOTAS, *moments]:
        match moment:
            case Pod():
                live.upsert_pod(moment)
            case int():
                time = moment
                live.set_time(time)
            case _ if moment.key in live.quotas:
                live.delete_quota(moment.key)
            case _:
                live.upsert_quota(moment)
        fresh = Ledger()
        fresh.set_time(time)
        for node in NODES:
            fresh.upsert_node(node)
        for quota in live.quotas.values():
            fresh.upsert_quota(quota)
        for pod in live.pods.values():
            fresh.upsert_pod(pod)
        followed, made = live.update(chosen), fresh.update(chosen)
        assert figures.of(followed) == figures.of(made)
        assert followed.changes_in == made.changes_in
