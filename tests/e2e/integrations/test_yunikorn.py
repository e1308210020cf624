"""Seed 004 on a live cluster: YuniKorn's queues and namespaces are followed."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
import yaml

from installation import CONTROLLER, NAMESPACE, Installation, Kubectl
from integration_scenes import EXAMPLES, IntegrationScene
from scenes import PREFIX, refusal
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

GPU = "nvidia.com/gpu"
QUOTA = "yunikorn.apache.org/namespace.quota"
CONFIG: Any = yaml.safe_load((EXAMPLES / "yunikorn" / "2-static-queues.yaml").read_text())
STATIC = {"root-advertisement", "root-search", "root-sandbox"}


class YunikornScene(IntegrationScene):
    """A scene without the queues of the namespaces that each cluster has."""

    def kept(self, dialect: str = "") -> dict[str, Any]:
        ours = {f"root-{name}" for name in ("default", "kube-node-lease", "kube-public")}
        ours |= {"root-yunikorn"}
        return {name: each for name, each in super().kept(dialect).items() if name not in ours}

    def followed(self) -> dict[str, tuple[str, str]]:
        """Parent and bound namespaces of each quota."""
        return {
            name: (
                quota["metadata"]["labels"][f"{PREFIX}parent"],
                quota["metadata"]["annotations"].get(f"{PREFIX}namespaces", ""),
            )
            for name, quota in self.kept().items()
        }

    def told(self, kind: str, name: str, reason: str) -> set[str]:
        """Events of the reason about an object."""
        namespace = "yunikorn" if kind == "ConfigMap" else "default"
        selector = f"involvedObject.name={name},reason={reason}"
        return {
            event["message"]
            for event in self.admin.list("Event", namespace, fieldSelector=selector)
        }

    def close(self) -> None:
        """Apply an empty configuration, which has no queues; without one, quotas would stay."""
        nothing = "partitions: [{name: default, queues: [{name: root}]}]"
        self.apply(configured(nothing))
        super().close()


@pytest.fixture
def scene(
    admission: None, admin: User, kubectl: Kubectl, spaces: set[str]
) -> Iterator[YunikornScene]:
    found = YunikornScene(admin, kubectl, "yunikorn", spaces)
    yield found
    found.close()


def configured(text: str) -> Any:
    return {**CONFIG, "data": {"queues.yaml": text}}


def text(change: Callable[[Any], None]) -> str:
    """The static queues after a change."""
    document = yaml.safe_load(CONFIG["data"]["queues.yaml"])
    change(document["partitions"][0]["queues"][0]["queues"])
    return yaml.safe_dump(document)


def amounts(scene: YunikornScene, name: str) -> tuple[tuple[str, str], tuple[str, str]]:
    cpu, memory = (scene.limits(name, key) for key in ("cpu", "memory"))
    return cpu, memory


def test_seed_004_static_queue_definition_the_three_queues_are_followed(
    scene: YunikornScene,
) -> None:
    scene.play("1-nodes.yaml", "2-static-queues.yaml")
    eventually(scene.accepted, lambda found: found >= STATIC, within=30)
    assert scene.kept().keys() == STATIC
    (cpu, memory) = amounts(scene, "root-search")
    assert cpu == ("40", "60")
    assert memory == ("390625000Ki", "585937500Ki"), "400G and 600G"
    eventually(
        partial(scene.told, "ConfigMap", "yunikorn-configs", "QueuesFollowed"),
        lambda told: "3 ElasticQuotas follow the queues and namespaces" in told,
    )


def pod(queue: str, namespace: str = "batch") -> Any:
    meta = {"name": "asking", "namespace": namespace, "labels": {"queue": queue}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta,
        "spec": {"containers": [{"name": "main", "image": "example.com/main:1.0"}]},
    }


def quota_of(scene: YunikornScene, queue: str) -> str:
    """The quota of a new pod that names this queue."""
    made = scene.admin.create(pod(queue), dry_run=True)
    return str(made["metadata"]["labels"].get(f"{PREFIX}name", ""))


BATCH = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "batch"}}


def test_seed_004_run_a_workload_the_application_runs_in_the_queue_that_it_names(
    scene: YunikornScene,
) -> None:
    scene.play("1-nodes.yaml", "2-static-queues.yaml")
    scene.apply(BATCH)
    eventually(partial(quota_of, scene, "root.sandbox"), "root-sandbox", within=30)
    scene.play("3-my-test-app.yaml")
    eventually(lambda: (scene.running("batch"), scene.waiting("batch")), (10, 2), within=60)
    eventually(lambda: scene.kept()["root-sandbox"]["status"]["used"]["cpu"], "10")


def test_seed_004_static_queue_definition_users_can_only_submit_to_leaf_queues(
    scene: YunikornScene,
) -> None:
    scene.play("2-static-queues.yaml")
    scene.apply(BATCH)
    eventually(partial(quota_of, scene, "root.search"), "root-search", within=30)
    for queue in ("root", "root.nobody"):
        attempt = partial(scene.admin.create, pod(queue), dry_run=True)
        # The other replica may have read the queues a moment later.
        found = eventually(partial(refusal, attempt), bool)
        assert found.fields == ("metadata.labels[yunikorn.apache.org/queue]",)
        assert "no placement rule matched, and there is no root.default; tried: provided" in (
            found.message
        )


def test_seed_004_namespace_to_queue_mapping_pods_need_no_label_or_get_the_default(
    scene: YunikornScene,
) -> None:
    def add_default(queues: Any) -> None:
        queues.append({"name": "default"})

    scene.apply(BATCH, configured(text(add_default)))
    eventually(partial(quota_of, scene, ""), "root-default", within=30)


def test_seed_004_namespace_quota_the_annotation_is_the_limit_of_the_namespaces_queue(
    scene: YunikornScene,
) -> None:
    scene.play("1-nodes.yaml", "4-namespaces.yaml")
    eventually(partial(scene.followed), lambda found: "root-development" in found, within=30)
    assert scene.followed()["root-development"] == ("koordinator-root-quota", '["development"]')
    spec = scene.kept()["root-development"]["spec"]
    assert spec["max"] == {"cpu": "64", "memory": "97656250Ki", GPU: "1"}
    scene.play("5-two-applications.yaml")
    eventually(
        lambda: (scene.running("development"), scene.waiting("development")), (1, 1), within=60
    )


def test_seed_004_namespace_quota_an_edited_annotation_is_followed(scene: YunikornScene) -> None:
    scene.play("4-namespaces.yaml")
    change = {"metadata": {"annotations": {QUOTA: '{"cpu": "8"}'}}}
    eventually(scene.kept, lambda found: "root-development" in found, within=30)
    scene.admin.patch("Namespace", "development", change=change)
    eventually(lambda: scene.kept()["root-development"]["spec"]["max"], {"cpu": "8"})


def test_seed_004_parent_queue_mapping_namespaces_are_grouped_below_their_parents(
    scene: YunikornScene,
) -> None:
    scene.play("6-parents.yaml")
    root, above, below = "koordinator-root-quota", "root-production", "root-development"
    wanted = {
        above: (root, ""),
        below: (root, ""),
        f"{above}-finance": (above, '["finance"]'),
        f"{above}-sales": (above, '["sales"]'),
        f"{below}-dev": (below, '["dev"]'),
        f"{below}-test": (below, '["test"]'),
    }
    eventually(scene.followed, wanted, within=30)
    eventually(scene.accepted, lambda found: found >= wanted.keys())


def test_seed_004_namespace_parent_queue_a_namespace_moves_with_its_annotation(
    scene: YunikornScene,
) -> None:
    scene.play("6-parents.yaml")
    eventually(scene.kept, lambda found: "root-production-sales" in found, within=30)
    change = {"metadata": {"annotations": {"yunikorn.apache.org/parentqueue": "development"}}}
    scene.admin.patch("Namespace", "sales", change=change)
    eventually(
        scene.kept,
        lambda found: "root-development-sales" in found and "root-production-sales" not in found,
    )


def test_a_configuration_is_refused_with_all_its_errors(scene: YunikornScene) -> None:
    def spoil(queues: Any) -> None:
        queues[2]["resources"]["max"]["memory"] = "much"
        queues[1]["resources"]["guaranteed"]["vcore"] = 70
        queues[0]["resources"]["maximum"] = {}

    scene.play("2-static-queues.yaml")
    bad = {"data": {"queues.yaml": text(spoil)}}
    found = refusal(
        lambda: scene.admin.patch("ConfigMap", "yunikorn-configs", "yunikorn", change=bad)
    )
    lead = "partitions[0].queues[0].queues"
    assert found.fields == (
        f"{lead}[0].resources.maximum",
        f"{lead}[2].resources.max.memory",
        f"{lead}[1].resources.guaranteed.vcore",
    )
    assert "ConfigMap yunikorn/yunikorn-configs: " in found.message


def test_malformed_annotations_are_refused(scene: YunikornScene) -> None:
    scene.play("4-namespaces.yaml")
    change = {"metadata": {"annotations": {QUOTA: '{"cpu": "64"'}}}
    found = refusal(lambda: scene.admin.patch("Namespace", "development", change=change))
    assert found.fields == (f"metadata.annotations[{QUOTA}]",)
    scene.admin.patch("Namespace", "development", change={"metadata": {"labels": {"a": "b"}}})


def test_a_broken_configuration_changes_nothing_even_after_all_processes_restart(
    scene: YunikornScene, product: Installation
) -> None:
    scene.play("2-static-queues.yaml")
    eventually(scene.accepted, lambda found: found >= STATIC, within=30)
    before = {name: quota["metadata"]["uid"] for name, quota in scene.kept().items()}
    with _unasked(scene.admin):
        eventually(lambda: _stored(scene, "partitions: ["), True)
    said = partial(scene.told, "ConfigMap", "yunikorn-configs", "QueuesBroken")
    eventually(said, lambda found: len(found) == 2)
    assert "data.queues.yaml: line 1: did not find expected node content" in said()
    for pod in product.pods(CONTROLLER):
        product.kill(pod)
    product.settle()
    assert {name: quota["metadata"]["uid"] for name, quota in scene.kept().items()} == before

    def shrink(queues: Any) -> None:
        del queues[2]

    scene.apply(configured(text(shrink)))
    eventually(lambda: scene.kept().keys(), STATIC - {"root-sandbox"}, within=30)


def _stored(scene: YunikornScene, text: str) -> bool:
    change = {"data": {"queues.yaml": text}}
    found = scene.admin.patch("ConfigMap", "yunikorn-configs", "yunikorn", change=change)
    return bool(found["data"]["queues.yaml"] == text)


@contextmanager
def _unasked(admin: User) -> Iterator[None]:
    """No webhook is asked about edits of queues inside the block."""
    name = "elastic-quota-webhook"
    before = admin.get("ValidatingWebhookConfiguration", name)["webhooks"]
    webhooks = copy.deepcopy(before)
    for webhook in webhooks:
        if webhook["name"] == "queues.elasticquota.dev":
            webhook["rules"][0]["operations"] = ["CREATE"]
    admin.patch("ValidatingWebhookConfiguration", name, change={"webhooks": webhooks})
    try:
        yield
    finally:
        admin.patch("ValidatingWebhookConfiguration", name, change={"webhooks": before})


def test_a_quota_kept_for_a_queue_names_yunikorns_configuration_as_the_place_to_edit(
    scene: YunikornScene,
) -> None:
    scene.play("2-static-queues.yaml")
    eventually(scene.accepted, lambda found: found >= STATIC, within=30)
    change = {"spec": {"max": {"cpu": "50"}}}
    found = refusal(
        lambda: scene.admin.patch("ElasticQuota", "root-search", NAMESPACE, change=change)
    )
    assert (
        "the controller keeps this quota in step with queue root.search of YuniKorn, which is in "
        "queues.yaml in namespace yunikorn or made for a namespace or for pods. Edit that instead, "
        "and the quota follows. [EQ1108]"
    ) in found.message
