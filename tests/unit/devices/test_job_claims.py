"""Devices that queued jobs claim before their pods exist."""

import pytest

import devices
from devices import GPU, NIC, claim, generates, job, pod, shares, template
from elasticquota import names
from elasticquota.devices.tracker import DeviceTracker
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.claims import ClaimingJob, ClaimReference
from elasticquota.model.key import Key
from elasticquota.model.workload import QueuedJob
from elasticquota.structs import replace


@pytest.fixture
def tracked() -> DeviceTracker:
    found = DeviceTracker(Ledger(), devices.matches)
    found.nodes.upsert_class(devices.device_class("gpu"))
    found.nodes.upsert_class(devices.device_class("nic"))
    found.pods.follow()
    found.flush()
    return found


def counted(tracked: DeviceTracker, name: str = "j") -> QueuedJob:
    tracked.flush()
    return tracked.jobs._ledger.jobs[Key("team", f"job.batch/{name}")]


def gpus(tracked: DeviceTracker, name: str = "j") -> int:
    return counted(tracked, name).request.get(GPU, 0)


def obstacle(tracked: DeviceTracker, name: str = "j") -> str:
    found = counted(tracked, name)
    assert isinstance(found, ClaimingJob)
    return found.obstacle


def test_a_template_counts_once_for_each_pod_that_the_job_reserves(tracked: DeviceTracker) -> None:
    tracked.pods.upsert_template(template("t", ("gpu", 2), ("nic", 1)))
    tracked.jobs.upsert_job(job("j", (3, generates("t")), (2,)))
    found = counted(tracked)
    assert found.request == {
        names.CPU: 5000,
        names.PODS: 5,
        names.MAX_JOBS: 1,
        GPU: 6,
        NIC: 3,
    }
    one = {names.CPU: 1000, names.PODS: 1}
    assert sorted(found.parts, key=len) == [one, {**one, GPU: 2, NIC: 1}]


def test_a_claim_that_its_templates_name_counts_once_for_the_whole_job(
    tracked: DeviceTracker,
) -> None:
    tracked.pods.upsert_claim(claim("c", ("gpu", 4)))
    tracked.jobs.upsert_job(job("j", (3, shares("c")), (2, shares("c"))))
    assert gpus(tracked) == 4


def test_its_pods_draw_on_what_the_job_reserves(tracked: DeviceTracker) -> None:
    tracked.pods.upsert_claim(claim("c", ("gpu", 4)))
    tracked.jobs.upsert_job(job("j", (2, shares("c")), gated=False))
    tracked.pods.upsert_pod(pod("p", shares("c"), gated=False, jobs=("job=j",)))
    assert gpus(tracked) == 4
    assert tracked.jobs._ledger.pods[Key("team", "p")].request[GPU] == 4


def test_a_claim_that_counts_in_a_pod_of_others_adds_nothing_to_the_job(
    tracked: DeviceTracker,
) -> None:
    tracked.pods.upsert_claim(claim("c", ("gpu", 4)))
    tracked.pods.upsert_pod(pod("other", shares("c"), gated=False))
    tracked.jobs.upsert_job(job("j", (2, shares("c"))))
    assert (gpus(tracked), obstacle(tracked)) == (0, "")
    tracked.pods.delete_pod(Key("team", "other"))
    assert gpus(tracked) == 4


def test_a_job_waits_while_its_claim_counts_in_a_pod_or_job_that_waits(
    tracked: DeviceTracker,
) -> None:
    tracked.pods.upsert_claim(claim("c", ("gpu", 4)))
    tracked.pods.upsert_pod(pod("other", shares("c")))
    tracked.jobs.upsert_job(job("j", (2, shares("c"))))
    where = "spec.sets[0].template.spec.resourceClaims[gpu]: ResourceClaim team/c counts in"
    assert obstacle(tracked) == f"{where} pod team/other, which waits"
    tracked.pods.delete_pod(Key("team", "other"))
    assert (gpus(tracked), obstacle(tracked)) == (4, "")
    tracked.jobs.upsert_job(job("i", (1, shares("c"))))  # older
    assert (gpus(tracked, "i"), gpus(tracked)) == (4, 0)
    assert obstacle(tracked) == f"{where} Job team/i, which waits"


def test_an_admitted_job_keeps_its_claim_from_pods_that_wait(tracked: DeviceTracker) -> None:
    tracked.pods.upsert_claim(claim("c", ("gpu", 4)))
    tracked.pods.upsert_pod(pod("a", shares("c")))
    tracked.jobs.upsert_job(job("j", (2, shares("c")), gated=False))
    assert gpus(tracked) == 4
    assert tracked.jobs._ledger.pods[Key("team", "a")].request.get(GPU, 0) == 0


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        (generates("none"), "ResourceClaimTemplate team/none does not exist. Create it"),
        (shares("none"), "ResourceClaim team/none does not exist. Create it"),
        (
            generates("odd"),
            "DeviceClass fpga does not exist. Create it, or correct ResourceClaimTemplate team/odd",
        ),
    ],
)
def test_what_is_missing_holds_the_job_until_it_is_there(
    tracked: DeviceTracker, reference: ClaimReference, said: str
) -> None:
    tracked.pods.upsert_template(template("odd", ("fpga", 1)))
    tracked.jobs.upsert_job(job("j", (2, reference)))
    assert obstacle(tracked) == f"spec.sets[0].template.spec.resourceClaims[gpu]: {said}"
    tracked.pods.upsert_template(template("none", ("gpu", 1)))
    tracked.pods.upsert_claim(claim("none", ("gpu", 1)))
    tracked.nodes.upsert_class(devices.device_class("fpga"))
    assert obstacle(tracked) == ""


def test_a_template_that_changes_counts_in_jobs_that_wait(tracked: DeviceTracker) -> None:
    tracked.pods.upsert_template(template("t", ("gpu", 1)))
    tracked.jobs.upsert_job(job("j", (3, generates("t"))))
    tracked.pods.upsert_template(template("t", ("gpu", 2)))
    assert gpus(tracked) == 6
    tracked.pods.delete_template(Key("team", "t"))
    assert gpus(tracked) == 0


def test_extended_resources_of_a_class_count_under_both_names(tracked: DeviceTracker) -> None:
    tracked.nodes.upsert_class(devices.device_class("gpu", extended="example.com/gpu"))
    asked = job("j", (2,))
    plain = QueuedJob(
        asked.key, asked.uid, asked.created, asked.name, request={"example.com/gpu": 6}
    )
    tracked.jobs.upsert_job(plain)
    assert counted(tracked).request == {"example.com/gpu": 6, GPU: 6}


def test_a_job_that_goes_leaves_its_claim_to_others(tracked: DeviceTracker) -> None:
    tracked.pods.upsert_claim(claim("c", ("gpu", 4)))
    tracked.jobs.upsert_job(job("i", (2, shares("c"))))
    tracked.jobs.upsert_job(job("j", (2, shares("c"))))
    tracked.jobs.delete_job(Key("team", "job.batch/i"))
    assert (gpus(tracked), obstacle(tracked)) == (4, "")
    assert tracked.jobs.job(Key("team", "job.batch/i")) is None


def test_a_job_that_holds_no_room_any_more_holds_no_claim(tracked: DeviceTracker) -> None:
    tracked.pods.upsert_claim(claim("c", ("gpu", 4)))
    tracked.jobs.upsert_job(job("i", (0, shares("c")), gated=False))
    tracked.jobs.upsert_job(job("j", (2, shares("c"))))
    assert (gpus(tracked, "i"), gpus(tracked)) == (0, 4)


def test_before_all_claims_are_known_they_count_nowhere() -> None:
    found = DeviceTracker(Ledger(), devices.matches)
    asked = job("j", (2, generates("none")))
    found.jobs.upsert_job(asked)
    assert counted(found) == asked
    found.pods.follow()
    assert "does not exist" in obstacle(found)
    assert replace(asked, obstacle=obstacle(found)) == counted(found)
