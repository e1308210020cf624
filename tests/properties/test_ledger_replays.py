"""Law: the decisions from an exported ledger file are those of the controller.

A bug report is one file (docs/how-to/on-call.md). The test reads it with the reader of
``simulate``. The file lacks what actors expect and the clocks, so the ledgers of this law have
none.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from hypothesis import given
from hypothesis import strategies as st

import effort
import histories
import law_content
import stored_values
from elasticquota import names
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.constraints import (
    ANYWHERE,
    Constraints,
    NodeRequirement,
    NodeTerm,
    Toleration,
)
from elasticquota.model.decision import Decisions
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.structs import replace
from elasticquota.wire.quota import profiles, quotas
from elasticquota.wire.quota.profiles import ProfileManifest
from elasticquota.wire.quota.quotas import QuotaManifest
from elasticquota_cli.failures.failure import InputFault
from elasticquota_cli.simulate import apply, documents, manifests
from elasticquota_cli.simulate.objects import Objects
from elasticquota_cli.simulate.world import World
from elasticquota_config import model
from elasticquota_export import ledger_dump
from elasticquota_export.ledger_dump import Manifest
from ledger_snapshots import POLICY, decisions, picture
from replay import Event, Replay


def read_back(objects: Iterator[Manifest]) -> Objects:
    """The objects as ``simulate -f`` reads them."""
    faults: list[InputFault] = []
    with TemporaryDirectory() as folder:
        file = Path(folder) / "ledger.json"
        whole = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        file.write_text(json.dumps(whole), encoding="utf-8")
        found = manifests.read(documents.read([str(file)], faults), faults)
    assert faults == []
    assert not found.skipped
    return found


def ledger_of(found: Objects) -> Ledger:
    ledger = Ledger()
    for placed in found.profiles:
        profile = msgspec.convert(placed.document.content, ProfileManifest)
        ledger.upsert_profile(profiles.read(profile))
    for placed in found.quotas:
        quota = msgspec.convert(placed.document.content, QuotaManifest)
        ledger.upsert_quota(quotas.read(quota))
    for node in found.nodes:
        ledger.upsert_node(node)
    for namespace in found.namespaces:
        ledger.upsert_namespace(namespace)
    for submitted in found.pods:
        assert submitted.live
        ledger.upsert_pod(submitted.pod)
    for queued in found.jobs:
        ledger.upsert_job(queued)
    for stated in found.group_objects:
        ledger.upsert_group_object(stated)
    for kind in found.group_kinds:
        ledger.follow_group_kind(kind)
    return ledger


def as_read(found: Pod) -> Pod:
    """The pod as the reader returns it; a named group with an unreadable size has a warning.

    The reader keeps constraints only of pods without a node, the waiting time only of those without
    a gate, and the end only of deleted ones.
    """
    constraints = ANYWHERE if found.bound else found.constraints
    free = not (found.bound or found.gated)
    ends_at = found.ends_at if found.deleting else None
    found = replace(
        found,
        constraints=constraints,
        refused=found.refused and free,
        unplaced_since=found.unplaced_since if free else None,
        ends_at=ends_at,
        gone_after=None if ends_at is None else max(ends_at, found.gone_after or 0),
    )
    if found.group is None or found.group.size or "/" in found.group.name:
        return found
    return replace(found, warnings=("elasticquota.dev/pod-group-size must be 1 to 99999, got '0'",))


def without_orphan_clocks(found: Decisions) -> Decisions:
    """Without the time at which a root began to wait for its profile, and what follows from it.

    In the world of ``simulate`` that is its beginning, before the time of the replay.
    """
    if not found.clocks.orphaned_since:
        return found
    clocks = replace(found.clocks, orphaned_since={})
    return replace(found, clocks=clocks, orphan_roots=(), wake_at=None)


@law_content.about(releases=1 / 2, evictions=1 / 13)
@effort.one_in(3)
@given(histories.histories())
def test_the_file_of_a_ledger_reads_back_as_the_same_decisions(
    history: list[list[Event]],
) -> None:
    replay = Replay()
    for moment in [histories.beginning(), *history]:
        for event in moment:
            replay.tell(event)
    seen = replay.live
    stored = (
        [stored_values.profile(found) for found in seen.profiles.values()],
        [stored_values.quota(found) for found in seen.quotas.values()],
    )
    live = ledger_of(read_back(ledger_dump.objects(Ledger(), *stored)))
    for found in seen.nodes.values():
        live.upsert_node(found)
    for namespace in seen.namespaces.values():
        live.upsert_namespace(namespace)
    for pod in seen.pods.values():
        live.upsert_pod(as_read(pod))
    for queued in seen.jobs.values():
        live.upsert_job(queued)
    for stated in seen.group_objects.values():
        live.upsert_group_object(stated)
    for kind in seen.group_kinds:
        live.follow_group_kind(kind)
    again = ledger_of(read_back(ledger_dump.objects(live, *stored)))
    assert (again.pods, again.jobs) == (live.pods, live.jobs)
    assert (again.group_objects, again.group_kinds) == (live.group_objects, live.group_kinds)
    assert (again.nodes, again.namespaces) == (live.nodes, live.namespaces)
    assert picture(again) == picture(live)
    decided = decisions(live, replay.now)
    assert decisions(again, replay.now) == decided
    if not (decided.roots or decided.orphan_roots):  # which are written before anything is decided
        world = World(POLICY)
        apply.base(world, read_back(ledger_dump.objects(live, *stored)))
        simulated = decisions(world.ledger, replay.now)
        assert without_orphan_clocks(simulated) == without_orphan_clocks(decided)


def test_the_configuration_in_force_is_used_unless_another_is_given() -> None:
    chosen = model.parse(
        "reclaim: {paused: true}\naccounting: {defaultQuota: false}\n"
        "controllerUser: system:serviceaccount:operator:elastic-quota-controller"
    )
    found = read_back(iter([ledger_dump.in_force(chosen, "operator")])).configuration
    assert found is not None
    assert found.policy() == chosen.policy("operator")


_SECONDS = st.integers(0, 10**10).map(lambda seconds: seconds * 1000)
_REQUIREMENTS = st.builds(
    NodeRequirement,
    st.sampled_from(("pool", "zone")),
    st.sampled_from(("In", "NotIn", "Gt")),
    st.sets(st.sampled_from("ab3"), min_size=1).map(lambda found: tuple(sorted(found))),
) | st.builds(NodeRequirement, st.just("gpu"), st.sampled_from(("Exists", "DoesNotExist")))
_FIELDS = st.builds(NodeRequirement, st.just("metadata.name"), st.just("In"), st.just(("n1",)))


def any_constraints() -> st.SearchStrategy[Constraints]:
    requirements = st.lists(_REQUIREMENTS, max_size=3).map(tuple)
    terms = st.builds(NodeTerm, requirements, st.lists(_FIELDS, max_size=1).map(tuple))
    toleration = st.builds(
        Toleration, st.sampled_from(("", "gpu")), st.sampled_from(("", "Exists")), st.just("")
    )
    return st.builds(
        Constraints,
        st.dictionaries(st.sampled_from(("disk", "zone")), st.just("b"), max_size=2).map(
            lambda found: tuple(sorted(found.items()))
        ),
        st.none() | st.lists(terms, max_size=2).map(tuple),
        st.sets(toleration, max_size=2).map(lambda found: tuple(sorted(found))),
    )


@st.composite
def pods(draw: st.DrawFn) -> Pod:
    """Any pods that a manifest can describe."""
    resource = st.sampled_from(("cpu", "memory", "example.com/gpu"))
    amount = st.integers(0, 9) | st.integers(0, 2**70)
    overhead = draw(st.dictionaries(resource, amount.map(lambda found: found + 1), max_size=2))
    asked = draw(st.dictionaries(resource, amount, max_size=3))
    whole = {key: asked.get(key, 0) + overhead.get(key, 0) for key in {**asked, **overhead}}
    gates = draw(st.sampled_from(((), (names.GATE,), ("theirs", names.GATE), ("theirs",))))
    node = draw(st.sampled_from(("", "n1")))
    deleting = draw(st.booleans())
    free = not node and names.GATE not in gates
    group = st.builds(
        Group, st.sampled_from(("g", "job/train", "statefulset/db")), st.integers(0, 99999)
    )
    ends_at = draw(st.none() | _SECONDS) if deleting else None
    grace = draw(st.integers(0, 10**6)) * 1000
    constraints = ANYWHERE if node else draw(any_constraints())
    return Pod(
        key=Key("team", "p"),
        uid="uid-p",
        created=draw(st.sampled_from(("", "2026-01-01T00:00:01Z"))),
        quota_label=draw(st.sampled_from(("", "team"))),
        request={**whole, "pods": 1},
        overhead=overhead,
        priority=draw(st.integers(-(2**31), 2**31 - 1)),
        preemptible=draw(st.booleans()),
        may_preempt=draw(st.booleans()),
        node_name=node,
        started=draw(st.sampled_from(("", "2026-01-01T00:00:02Z"))),
        unplaced_since=draw(st.none() | _SECONDS) if free else None,
        deleting=deleting,
        gone_after=None if ends_at is None else ends_at + grace,
        ends_at=ends_at,
        gates=gates,
        group=draw(st.none() | group),
        constraints=constraints,
        refused=draw(st.booleans()) if free else False,
        mirror=draw(st.booleans()),
        waiting_message=draw(st.sampled_from(("", "quota team: no room"))),
    )


@given(pods(), st.booleans())
def test_every_fact_of_a_pod_is_in_the_file(found: Pod, releasing: bool) -> None:
    ledger = Ledger()
    ledger.upsert_pod(found)
    if releasing:
        ledger.expect_release(found.uid)
    (again,) = read_back(ledger_dump.objects(ledger, (), ())).pods
    assert again.pod == as_read(found)
