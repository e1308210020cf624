"""Seed 002 on a live cluster: the published tree is followed, from its creation to its deletion."""

import copy
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import yaml

import command_line
from installation import CONTROLLER, NAMESPACE, Installation
from integration_scenes import EXAMPLES, IntegrationScene
from scenes import PREFIX, condition, refusal
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

GPU = "nvidia.com/gpu"
QUOTAS = {
    "root",
    "root-algorithm",
    "root-algorithm-text",
    "root-algorithm-video",
    "root-devops",
    "root-infrastructure",
    "root-infrastructure-test",
}
TREE: Any = list(yaml.safe_load_all((EXAMPLES / "ack" / "2-tree.yaml").read_text()))[-1]


@pytest.fixture
def scene(integration: Callable[[str], IntegrationScene]) -> IntegrationScene:
    """The nodes, the namespaces and the tree of the documentation, followed."""
    found = integration("ack")
    found.play("1-nodes.yaml", "2-tree.yaml")
    eventually(found.accepted, QUOTAS, within=30)
    return found


def tree(scene: IntegrationScene, name: str = "elasticquotatree") -> Any:
    return scene.admin.get("ElasticQuotaTree", name, "kube-system")


def told(scene: IntegrationScene, name: str = "elasticquotatree") -> tuple[str, str]:
    found = condition(tree(scene, name), "Translated")
    return (found["status"], found["reason"])


def figures(scene: IntegrationScene, path: str) -> Any:
    return next(node for node in tree(scene)["status"]["nodes"] if node["path"] == path)


def edited(change: Callable[[Any], None]) -> Any:
    found = copy.deepcopy(TREE)
    change(found["spec"]["root"])
    return found


def test_seed_002_set_up_resource_quotas_the_published_tree_is_followed(
    scene: IntegrationScene,
) -> None:
    assert scene.limits("root-algorithm-text", GPU) == ("8", "10")
    text = scene.kept()["root-algorithm-text"]["metadata"]
    assert text["annotations"][f"{PREFIX}namespaces"] == '["text1","text2"]'
    assert text["labels"][f"{PREFIX}parent"] == "root-algorithm"
    eventually(partial(told, scene), ("True", "WithDifferences"))
    message = condition(tree(scene), "Translated")["message"]
    assert message.startswith("7 ElasticQuotas follow what it says, except: ")
    assert "spec.root.children[1].min.cpu: raised from 50 to 52" in message


def test_seed_002_parameter_semantics_leaves_borrow_until_one_below_min_reclaims(
    scene: IntegrationScene,
) -> None:
    scene.play("3-borrow.yaml")
    eventually(lambda: (scene.running("text1"), scene.running("devops")), (10, 6), within=60)
    eventually(lambda: figures(scene, "root/algorithm/text")["used"][GPU], "10")
    scene.play("4-owners.yaml")
    eventually(lambda: (scene.running("video"), scene.running("test1")), (2, 2), within=60)
    eventually(lambda: (scene.running("text1"), scene.running("devops")), (8, 4), within=60)
    eventually(lambda: (scene.waiting("text1"), scene.waiting("devops")), (2, 2))

    def seen() -> Any:
        node = figures(scene, "root/algorithm/text")
        return (node["min"][GPU], node["max"][GPU], node["used"][GPU], node["pending"])

    eventually(seen, ("8", "10", "8", 2))

    def text() -> Any:
        _, algorithm, _ = tree(scene)["status"]["root"]["children"]
        found = next(node for node in algorithm["children"] if node["name"] == "text")
        return (found["namespaces"], found["used"][GPU], found["request"][GPU])

    eventually(text, (["text1", "text2"], "8", "10"))


def test_seed_002_set_up_resource_quotas_an_edited_node_is_followed(
    scene: IntegrationScene,
) -> None:
    def shift(root: Any) -> None:
        text, video = root["children"][1]["children"]
        text["min"][GPU], video["min"][GPU] = 6, 4

    def both() -> tuple[str, str]:
        names = ("root-algorithm-text", "root-algorithm-video")
        low, high = (scene.limits(name, GPU)[0] for name in names)
        return (low, high)

    before = {name: quota["metadata"]["uid"] for name, quota in scene.kept().items()}
    scene.apply(edited(shift))
    eventually(both, ("6", "4"))
    assert scene.accepted() == QUOTAS
    after = {name: quota["metadata"]["uid"] for name, quota in scene.kept().items()}
    assert after == before, "patched, not created again"


def test_the_max_of_the_root_limits_all_departments_together(scene: IntegrationScene) -> None:
    def limited_to(gpus: int) -> Any:
        def limit(root: Any) -> None:
            root["min"], root["max"] = {}, {GPU: gpus}
            for department in root["children"]:
                for node in (department, *department.get("children", ())):
                    node["min"] = {}

        return edited(limit)

    def running() -> int:
        return scene.running("text1") + scene.running("devops")

    scene.apply(limited_to(6))
    eventually(lambda: scene.kept()["root"]["spec"]["max"][GPU], "6")
    scene.play("3-borrow.yaml")
    eventually(running, 6, within=60)
    eventually(lambda: scene.waiting("text1") + scene.waiting("devops"), 10)
    scene.apply(limited_to(8))
    eventually(running, 8, within=60)
    eventually(lambda: figures(scene, "root")["used"][GPU], "8")


def test_seed_002_how_it_works_a_namespace_moves_from_one_leaf_to_another(
    scene: IntegrationScene,
) -> None:
    def move(root: Any) -> None:
        text, video = root["children"][1]["children"]
        text["namespaces"], video["namespaces"] = ["text1"], ["video", "text2"]

    scene.apply(edited(move))
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "moved", "namespace": "text2"},
        "spec": {"containers": [{"name": "main", "image": "example.com/main:1.0"}]},
    }

    def quota_of_a_new_pod() -> str:
        found = scene.admin.create(pod, dry_run=True)
        return str(found["metadata"]["labels"][f"{PREFIX}name"])

    eventually(quota_of_a_new_pod, "root-algorithm-video")


def test_seed_002_quota_rules_one_node_is_removed_and_another_added(
    scene: IntegrationScene,
) -> None:
    def rename(root: Any) -> None:
        root["children"][1]["children"][1]["name"] = "film"

    scene.apply(edited(rename))
    eventually(scene.accepted, QUOTAS - {"root-algorithm-video"} | {"root-algorithm-film"})
    assert scene.kept().keys() == scene.accepted()


def test_seed_002_only_one_elasticquotatree_a_second_one_is_refused(
    scene: IntegrationScene,
) -> None:
    second = copy.deepcopy(TREE)
    second["metadata"]["name"] = "second"
    second["spec"]["root"]["children"][0]["name"] = "other"
    found = refusal(lambda: scene.admin.create(second))
    assert "a tree in kube-system already, elasticquotatree, and one counts" in found.message
    assert scene.kept().keys() == QUOTAS


def test_a_tree_that_contradicts_itself_is_refused_with_paths_and_numbers(
    scene: IntegrationScene,
) -> None:
    def spoil(root: Any) -> None:
        text, video = root["children"][1]["children"]
        text["min"][GPU] = 11
        video["namespaces"].append("text1")
        root["children"][2]["name"] = "devops"
        root["children"][1]["namespaces"] = ["devops"]

    change = {"spec": edited(spoil)["spec"]}
    name = "elasticquotatree"
    found = refusal(
        lambda: scene.admin.patch("ElasticQuotaTree", name, "kube-system", change=change)
    )
    where = "spec.root.children[1]"
    assert set(found.fields) == {
        f"{where}.children[0].min.{GPU}",
        f"{where}.children[1].namespaces",
        f"{where}.namespaces",
        "spec.root.children[2].name",
    }
    assert f"{where}.children[0].min.{GPU}: 11 is above 10, the max of the node" in found.message
    assert scene.limits("root-algorithm-text", GPU) == ("8", "10")


def test_seed_002_must_be_created_in_kube_system_one_elsewhere_has_no_effect(
    scene: IntegrationScene,
) -> None:
    elsewhere = copy.deepcopy(TREE)
    elsewhere["metadata"] = {"name": "elsewhere", "namespace": "devops"}
    scene.apply(elsewhere)

    def message() -> str:
        found = scene.admin.get("ElasticQuotaTree", "elsewhere", "devops")
        return str(condition(found, "Translated")["message"])

    eventually(message, "metadata.namespace: has no effect outside kube-system; not taken over")


def pool(name: str) -> tuple[Any, Any, Any, Any]:
    """A node of 4 cpus, its profile, a namespace, and a tree that binds the namespace."""
    return (
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": f"{name}-1",
                "labels": {"pool": name},
                "annotations": {"kwok.x-k8s.io/node": "fake"},
            },
            "status": {
                "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"},
                "capacity": {"cpu": "4", "memory": "8Gi", "pods": "110"},
            },
        },
        {
            "apiVersion": "quota.koordinator.sh/v1alpha1",
            "kind": "ElasticQuotaProfile",
            "metadata": {"name": name, "namespace": "kube-system"},
            "spec": {
                "quotaName": f"{name}-pool",
                "nodeSelector": {"matchLabels": {"pool": name}},
            },
        },
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"{name}-team"}},
        {
            "apiVersion": TREE["apiVersion"],
            "kind": "ElasticQuotaTree",
            "metadata": {
                "name": f"{name}-tree",
                "namespace": "kube-system",
                "annotations": {"elasticquota.dev/profile": f"kube-system/{name}"},
            },
            "spec": {
                "root": {
                    "name": "root",
                    "children": [
                        {"name": "algorithm", "min": {"cpu": 2}, "namespaces": [f"{name}-team"]}
                    ],
                }
            },
        },
    )


def small_pod(name: str, namespace: str, cpu: str = "1") -> Any:
    container = {
        "name": "main",
        "image": "example.com/main:1.0",
        "resources": {"requests": {"cpu": cpu}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [container]},
    }


def hosts(scene: IntegrationScene, namespace: str) -> list[str]:
    """The nodes on which the pods of the namespace run."""
    pods = scene.admin.list("Pod", namespace)
    return [pod["spec"]["nodeName"] for pod in pods if pod["status"]["phase"] == "Running"]


def test_trees_of_two_pools_exist_beside_the_default_tree_and_wait_for_their_profiles(
    scene: IntegrationScene,
) -> None:
    trees = {}
    for name in ("east", "west"):
        node, profile, space, trees[name] = pool(name)
        scene.apply(node, space, trees[name])
        eventually(partial(told, scene, f"{name}-tree"), ("False", "WaitsForProfile"))
        scene.apply(profile)
    own = {"east-root-algorithm", "west-root-algorithm"}
    eventually(scene.accepted, QUOTAS | own)
    eventually(partial(told, scene, "west-tree"), ("True", "AsWritten"))
    for name in ("east", "west"):
        for number in range(3):
            scene.admin.create(small_pod(f"pod-{number}", f"{name}-team", cpu="2"))
    for name in ("east", "west"):
        eventually(partial(hosts, scene, f"{name}-team"), [f"{name}-1"] * 2, within=60)
        assert scene.waiting(f"{name}-team") == 1, "the pool is full, and nothing else is its own"

    before = scene.kept()["west-root-algorithm"]["metadata"]["uid"]
    scene.delete(pool("west")[1])
    eventually(partial(told, scene, "west-tree"), ("False", "WaitsForProfile"))
    assert scene.kept()["west-root-algorithm"]["metadata"]["uid"] == before
    assert told(scene) == ("True", "WithDifferences")
    scene.delete(trees["west"])
    eventually(lambda: scene.kept().keys(), QUOTAS | own - {"west-root-algorithm"})


def test_q24_pods_of_a_leaf_with_flavors_run_on_their_nodes(scene: IntegrationScene) -> None:
    """In a pool of two nodes, one of which has the label."""
    plain, profile, space, owned = pool("east")
    fast = copy.deepcopy(plain)
    fast["metadata"]["name"] = "east-2"
    fast["metadata"]["labels"]["speed"] = "fast"
    leaf = owned["spec"]["root"]["children"][0]
    leaf["attributes"] = {"resourceflavors": "faster,fast,slow"}
    scene.apply(plain, fast, profile, space, owned)
    eventually(scene.accepted, QUOTAS | {"east-root-algorithm"})
    eventually(partial(told, scene, "east-tree"), ("True", "WithDifferences"))
    message = condition(tree(scene, "east-tree"), "Translated")["message"]
    assert message == (
        "1 ElasticQuota follows what it says, except: "
        "spec.root.children[0].attributes.resourceflavors: there is no 'slow' in dialects.flavors "
        "of the configuration; left out"
    )
    for number in range(3):
        scene.admin.create(small_pod(f"pod-{number}", "east-team"))
    eventually(partial(hosts, scene, "east-team"), ["east-2"] * 3, within=60)


def test_deleting_a_tree_deletes_its_quotas(scene: IntegrationScene) -> None:
    scene.delete(TREE)
    eventually(scene.kept, {})


def test_a_controller_killed_while_it_makes_quotas_leaves_no_quota_missing(
    scene: IntegrationScene, product: Installation
) -> None:
    def widen(root: Any) -> None:
        root["children"] += [{"name": f"team-{number}", "min": {"cpu": 1}} for number in range(60)]

    leader = product.leader()
    scene.apply(edited(widen))
    eventually(lambda: len(scene.kept()) > len(QUOTAS), True)
    product.kill(leader)
    assert len(scene.kept()) < len(QUOTAS) + 60, "it was in the middle of it"
    wanted = QUOTAS | {f"root-team-{number}" for number in range(60)}
    eventually(scene.accepted, wanted, within=60)
    scene.apply(TREE)
    eventually(scene.accepted, QUOTAS, within=60)
    assert scene.kept().keys() == QUOTAS
    product.settle()


def test_an_edit_of_a_kept_quota_that_no_policy_refused_is_reverted(
    scene: IntegrationScene, admin: User, product: Installation
) -> None:
    with product.without(CONTROLLER):
        policy = "elastic-quota-kept"
        binding = admin.get("ValidatingAdmissionPolicyBinding", policy)
        admin.delete("ValidatingAdmissionPolicyBinding", policy)
        # The API server takes a moment to learn of it.
        eventually(partial(_lower, admin), "1")
        admin.delete("ElasticQuota", "root-algorithm-video", NAMESPACE)
        admin.create({**binding, "metadata": {"name": policy}})
    eventually(scene.accepted, QUOTAS, within=30)
    assert scene.limits("root-devops", GPU) == ("4", "8")


def _lower(admin: User) -> str:
    """The min of devops after an edit by hand."""
    change = {"spec": {"min": {GPU: "1"}}}
    found = admin.patch("ElasticQuota", "root-devops", NAMESPACE, change=change)
    return str(found["spec"]["min"][GPU])


def test_only_the_controller_may_edit_a_kept_quota(scene: IntegrationScene, admin: User) -> None:
    change = {"spec": {"min": {GPU: "1"}}}
    found = refusal(
        lambda: admin.patch("ElasticQuota", "root-algorithm-video", NAMESPACE, change=change)
    )
    assert (
        "the controller keeps this quota in step with node root/algorithm/video of the "
        "ElasticQuotaTree in namespace kube-system. Edit that instead, and the quota follows. "
        "[EQ1108]"
    ) in found.message
    found = refusal(lambda: admin.delete("ElasticQuota", "root-algorithm-video", NAMESPACE))
    assert "Delete that instead" in found.message


def test_no_user_may_mark_a_quota_as_kept(product: Installation, admin: User) -> None:
    manifest = {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {
            "name": "forged",
            "namespace": "default",
            "labels": {"elasticquota.dev/dialect": "ack"},
        },
    }
    found = refusal(lambda: admin.create(manifest))
    assert "only the controller may set it; leave it out [EQ1108]" in found.message


def test_a_tree_of_more_levels_than_the_definition_has_is_refused(
    product: Installation, admin: User
) -> None:
    node: Any = {"name": "level-11"}
    for level in range(10, 0, -1):
        node = {"name": f"level-{level}", "children": [node]}
    manifest = {**TREE, "metadata": {"name": "deep", "namespace": "kube-system"}}
    found = refusal(lambda: admin.create({**manifest, "spec": {"root": node}}))
    assert "must have at most 0 items" in found.message
    assert len(found.fields) == 1


def test_exported_quotas_are_followed_with_the_same_amounts_and_namespaces(
    scene: IntegrationScene,
) -> None:
    before = scene.kept()
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [*before.values()]})
    done = command_line.run("export", "ack", "-f", "-", text=text)
    assert (done.returncode, done.stderr) == (0, "")
    scene.delete(TREE)
    eventually(scene.kept, {}, within=30)
    scene.apply(yaml.safe_load(done.stdout))
    eventually(lambda: len(scene.accepted()), len(QUOTAS), within=30)
    assert _said(scene.kept()) == _said(before)


def _said(quotas: dict[str, Any]) -> dict[str, Any]:
    """Amounts and namespaces by the last part of the name, which is the path of the node."""
    found = {}
    for quota in quotas.values():
        path = quota["metadata"]["annotations"]["elasticquota.dev/source"]
        bound = quota["metadata"]["annotations"].get(f"{PREFIX}namespaces")
        # The nodes of an exported tree have the names of our quotas, which were paths before.
        name = path.rpartition(":")[2].rpartition("/")[2].rpartition("-")[2]
        found[name] = (quota["spec"].get("min"), quota["spec"].get("max"), bound)
    return found
