"""ResourceClaims and templates as values; each wrong part is one line."""

from typing import Any

import msgspec
import pytest

from elasticquota.model.claims import ALL, Alternative, DeviceRequest
from elasticquota.model.key import Key
from elasticquota.wire.codec.metadata import StatusManifest
from elasticquota.wire.devices import claims


def manifest(spec: Any, status: Any = None, owners: Any = None) -> StatusManifest:
    metadata = {"namespace": "team", "name": "c", "ownerReferences": owners}
    return msgspec.convert({"metadata": metadata, "spec": spec, "status": status}, StatusManifest)


def requests(*found: Any) -> Any:
    return {"devices": {"requests": list(found)}}


def exactly(name: str = "r", **more: Any) -> dict[str, Any]:
    return {"name": name, "exactly": {"deviceClassName": "gpu.example.com", **more}}


EITHER = {
    "name": "r2",
    "firstAvailable": [
        {"name": "big", "deviceClassName": "big", "count": 1},
        {"name": "small", "deviceClassName": "small", "allocationMode": "All"},
    ],
}


def test_requests_have_a_class_and_a_number() -> None:
    found = claims.read(manifest(requests(exactly(), exactly("r1", count=3), EITHER)))
    assert found.key == Key("team", "c")
    assert found.allocated is None
    assert found.spec.faults == ()
    assert found.spec.requests == (
        DeviceRequest("r", (Alternative("", "gpu.example.com", 1),)),
        DeviceRequest("r1", (Alternative("", "gpu.example.com", 3),)),
        DeviceRequest("r2", (Alternative("big", "big", 1), Alternative("small", "small", ALL))),
    )


def test_admin_access_does_not_count() -> None:
    allocation = {"devices": {"results": [{"request": "r", "adminAccess": True}]}}
    spec = requests(exactly(adminAccess=True), exactly("r1"))
    found = claims.read(manifest(spec, {"allocation": allocation}))
    assert [each.name for each in found.spec.requests] == ["r1"]
    assert (found.allocated, found.spec.faults) == ({}, ())


def test_results_count_by_the_class_of_the_alternative_that_was_chosen() -> None:
    results = [{"request": each} for each in ("r", "r", "r2/small", "r2/small")]
    found = claims.read(
        manifest(requests(exactly(), EITHER), {"allocation": {"devices": {"results": results}}})
    )
    assert found.allocated == {"gpu.example.com": 2, "small": 2}


def test_the_pod_of_a_generated_claim_is_known() -> None:
    owners = [
        {"kind": "Job", "uid": "j", "controller": True},
        {"kind": "Pod", "uid": "p", "controller": True},
    ]
    assert claims.read(manifest(requests(), owners=owners)).owner == "p"
    assert claims.read(manifest(requests(), owners=owners[:1])).owner == ""


def test_a_template_has_the_requests_of_its_claims() -> None:
    found = claims.read_template(manifest({"spec": requests(exactly(count=2))}))
    assert found.key == Key("team", "c")
    assert found.spec.requests == (DeviceRequest("r", (Alternative("", "gpu.example.com", 2),)),)


REQUEST = "spec.devices.requests[0]"


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        (3, "spec: must be a map, got 3"),
        ({"devices": []}, "spec.devices: must be a map, got a list"),
        (requests({"name": "r"}), f"{REQUEST}: must have exactly or firstAvailable"),
        (requests(4), f"{REQUEST}: must be a map, got 4"),
        (
            requests({"name": "r", "exactly": {}}),
            f"{REQUEST}.exactly.deviceClassName: must be the name of a DeviceClass, got null",
        ),
        (
            requests(exactly(allocationMode="Some")),
            f"{REQUEST}.exactly.allocationMode: must be ExactCount or All, got 'Some'",
        ),
        *(
            (
                requests(exactly(count=count)),
                f"{REQUEST}.exactly.count: must be a number from 1 to 2147483647, got {shown}",
            )
            for count, shown in [
                (0, "0"),
                (-4, "-4"),
                ("2", "'2'"),
                (True, "true"),
                (2**31, "2147483648"),
            ]
        ),
        (
            requests({"firstAvailable": [{"deviceClassName": "Not A Name"}]}),
            f"{REQUEST}.firstAvailable[0].deviceClassName: must be the name of a DeviceClass, "
            "got 'Not A Name'",
        ),
    ],
)
def test_each_wrong_part_is_one_line(spec: Any, fault: str) -> None:
    assert str(claims.read(manifest(spec)).spec.faults[0]) == fault
    assert claims.read(manifest(spec)).spec.requests in (
        (),
        (DeviceRequest("r"),),
        (DeviceRequest(""),),
    )
    (line, *_) = claims.read_template(manifest({"spec": spec})).spec.faults
    assert str(line) == f"spec.{fault}"


def test_a_claim_with_too_many_requests_is_cut_and_reported() -> None:
    found = claims.read(manifest(requests(*[exactly(str(i)) for i in range(1000)])))
    assert len(found.spec.requests) == claims.MOST_REQUESTS
    assert "must not have more than 32 entries, got 1000" in str(found.spec.faults[0])


def test_a_result_for_an_unknown_request_is_reported() -> None:
    status = {"allocation": {"devices": {"results": [{"request": "x"}]}}}
    found = claims.read(manifest(requests(exactly()), status))
    assert tuple(map(str, found.spec.faults)) == (
        "status.allocation.devices.results[0].request: must name a request of the claim, got 'x'",
    )
