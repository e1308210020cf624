"""What is refused of capacity scheduling's quotas, and what becomes of those that were stored.

The CRD here is like the plugin's own: without a rule, so only the webhook judges. Three quotas were
stored before the dialect was on. ``test_capacity`` has the CRD of our chart, whose schema judges.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from capacity_scenes import quota, space
from installation import Installation, Kubectl
from integration_scenes import CAPACITY, EXAMPLES, IntegrationScene
from scenes import condition
from users import Document
from waiting import eventually


pytestmark = pytest.mark.cluster

GPU = "nvidia.com/gpu"
DEFINITION = EXAMPLES.parent / "crds" / "dialects" / "capacity.yaml"
BEFORE = ("bad-before", "twice-before")


def theirs() -> Any:
    """Our definition without a rule about amounts; as the plugin's, which has none."""
    found = yaml.safe_load(DEFINITION.read_text())
    (version,) = found["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    del spec["x-kubernetes-validations"]
    for bound in ("min", "max"):
        amounts = {"x-kubernetes-int-or-string": True}
        spec["properties"][bound] = {"type": "object", "additionalProperties": amounts}
    return found


@pytest.fixture(scope="module")
def values(release: Installation, kubectl: Kubectl) -> Iterator[Document]:
    """Their CRD, bad quotas of before, and then the dialect."""
    release.configure({})  # The definition of the chart goes with its release.
    kubectl("delete", "crd", CAPACITY, "--ignore-not-found")
    kubectl("create", "-f", "-", stdin=yaml.safe_dump(theirs()))
    kubectl("wait", "--for=condition=Established", f"crd/{CAPACITY}", "--timeout=30s")
    stored = [
        *map(space, BEFORE),
        quota("bad-before", {GPU: 5}, {GPU: 4}),
        quota("twice-before", {GPU: 1}, {GPU: 2}, "a-first"),
        quota("twice-before", {GPU: 3}, {GPU: 4}, "b-second"),
    ]
    for each in stored:
        kubectl("apply", "-f", "-", stdin=yaml.safe_dump(each))
    yield {"dialects": {"capacity": True}}
    kubectl("delete", "namespace", *BEFORE)
    # The next module may want the definition of the chart.
    kubectl("delete", "crd", CAPACITY)


@pytest.fixture
def scene(
    integration: Callable[[str], IntegrationScene], kubectl: Kubectl
) -> Iterator[IntegrationScene]:
    """What was stored before is there for the first test."""
    yield integration("capacity-scheduling")
    for namespace in BEFORE:
        kubectl("delete", CAPACITY, "--all", "-n", namespace)


def refused(scene: IntegrationScene, manifest: Any) -> str:
    """What kubectl says when it must not apply the manifest."""
    with pytest.raises(AssertionError) as found:
        scene.apply(manifest)
    return str(found.value)


def told(scene: IntegrationScene, name: str, namespace: str) -> tuple[str, str]:
    found = condition(scene.capacity(name, namespace), "Translated")
    return str(found["reason"]), str(found["message"])


def test_quotas_that_were_stored_before_are_followed_and_their_faults_reported(
    scene: IntegrationScene, kubectl: Kubectl
) -> None:
    eventually(
        lambda: told(scene, "eq", "bad-before"),
        lambda seen: seen[0] == "WithDifferences" and "5 is above 4, the max" in seen[1],
        within=30,
    )
    eventually(lambda: scene.limits("bad-before", GPU), ("4", "4"))
    # Of two that were created in the same second, either may count.
    pair = ("a-first", "b-second")
    reasons = eventually(
        lambda: {told(scene, name, "twice-before")[0]: name for name in pair},
        lambda seen: seen.keys() == {"AsWritten", "NotInForce"},
    )
    counts, other = reasons["AsWritten"], reasons["NotInForce"]
    text = f"the namespace has one quota, and that is {counts}; not taken over"
    assert told(scene, other, "twice-before")[1] == text
    of_either = {"a-first": ("1", "2"), "b-second": ("3", "4")}
    eventually(lambda: scene.limits("twice-before", GPU), of_either[counts])
    # An edit that adds no fault passes.
    more = quota("bad-before", {GPU: 5, "cpu": 1}, {GPU: 4})
    kubectl("apply", "-f", "-", stdin=yaml.safe_dump(more))
    eventually(lambda: scene.limits("bad-before", "cpu")[0], "1")
    kubectl("annotate", CAPACITY, other, "-n", "twice-before", "team=x")


def test_seed_003_proposal_min_above_max_is_refused_by_the_webhook(
    scene: IntegrationScene,
) -> None:
    scene.apply(space("refusing"))
    said = refused(scene, quota("refusing", {GPU: 5}, {GPU: 4}))
    assert f"spec.min.{GPU}: " in said
    assert "5 must be less than or equal to 4, its max; lower min or raise max" in said
    said = refused(scene, quota("refusing", {GPU: "-1"}, {GPU: "much"}))
    assert "must not be negative, got -1" in said
    assert "'much' is not a quantity" in said


def test_seed_003_proposal_a_second_quota_is_refused_and_names_the_first(
    scene: IntegrationScene,
) -> None:
    scene.apply(space("refusing"), quota("refusing", {GPU: 1}, {GPU: 2}, "one"))
    said = refused(scene, quota("refusing", {GPU: 1}, {GPU: 2}, "two"))
    assert "one quota counts in a namespace, and refusing has one; edit that one" in said
    scene.delete(quota("refusing", name="one"))
    scene.apply(quota("refusing", {GPU: 1}, {GPU: 2}, "two"))
