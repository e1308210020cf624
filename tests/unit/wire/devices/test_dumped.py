"""What the file of /debug/ledger says of devices reads back as it was."""

import msgspec

import devices
from elasticquota.model.claims import ClaimingJob, ClaimingPod
from elasticquota.model.fault import Fault
from elasticquota.structs import replace
from elasticquota.wire.devices import dumped
from elasticquota.wire.kubernetes import nodes, pods
from elasticquota.wire.quota import queued_jobs
from elasticquota_export import ledger_dump


def test_a_pod_that_waits_for_its_claims_waits_for_them_in_the_file() -> None:
    waiting = replace(devices.pod("a", devices.shares("gone")), obstacle="it does not exist")
    manifest = msgspec.convert(ledger_dump.pod(waiting), pods.PodManifest)
    found = dumped.pod(pods.read(manifest), manifest.metadata.annotations or {})
    assert isinstance(found, ClaimingPod)
    assert (found.obstacle, found.request) == ("it does not exist", waiting.request)
    plain = replace(waiting, obstacle="")
    manifest = msgspec.convert(ledger_dump.pod(plain), pods.PodManifest)
    assert not isinstance(
        dumped.pod(pods.read(manifest), manifest.metadata.annotations or {}), ClaimingPod
    )


def test_devices_that_count_on_another_node_count_there_in_the_file() -> None:
    written = {devices.GPU: 2, "cpu": 8000, "pods": 110}
    node = replace(devices.node("node-0"), allocatable=written, shared={devices.GPU: 1})
    manifest = msgspec.convert(ledger_dump.node(node), nodes.NodeManifest)
    found = dumped.node(nodes.read(manifest), manifest.metadata.annotations or {})
    assert found == node
    assert found.offered[devices.GPU] == 1


def test_a_job_that_waits_for_its_claims_waits_for_them_in_the_file() -> None:
    held = replace(devices.job("j", (2,)), sets=(), obstacle="ResourceClaim team/c does not exist")
    written = msgspec.convert(queued_jobs.manifest(held), queued_jobs.QueuedJobManifest)
    faults: list[Fault] = []
    found = queued_jobs.read(written, faults)
    assert isinstance(found, ClaimingJob)
    assert found.name == held.name
    assert (found.obstacle, found.request, faults) == (held.obstacle, held.request, [])
