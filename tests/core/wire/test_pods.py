"""What of a pod manifest is read beside its size (``test_pod_size``)."""

from typing import Any

import msgspec
import pytest

from elasticquota.wire import pods


@pytest.mark.parametrize(
    ("spec", "may_preempt"),
    [
        ({}, True),
        ({"preemptionPolicy": None}, True),
        ({"preemptionPolicy": "PreemptLowerPriority"}, True),
        ({"preemptionPolicy": "Never"}, False),
    ],
)
def test_a_pod_may_preempt_unless_its_policy_is_never(
    spec: dict[str, Any], may_preempt: bool
) -> None:
    manifest = msgspec.convert({"spec": spec}, pods.PodManifest)
    assert pods.read(manifest).may_preempt is may_preempt
