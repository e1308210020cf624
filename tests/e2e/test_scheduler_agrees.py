"""Our node fit and the real scheduler agree on hundreds of generated pods.

Nodes have labels, taints, cordons and little room; pods have selectors, affinity by labels and by
name, tolerations and requests. Each pod is made when the one before it was placed or refused, so
both look at the same nodes. A bound pod must be on a node where we find room; for a refused one we
must find room on no node.
"""

import functools
import random
from collections import Counter
from typing import Any

import msgspec
import pytest

from elasticquota import names
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.ledger.ledger import Ledger
from elasticquota.wire.kubernetes import nodes, pods
from scenes import condition
from users import Document, User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.long]

PODS = 320
NODES = 14
EFFECTS = ("NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def a_node(dice: random.Random, namespace: str, number: int) -> Document:
    labels = {"judge": namespace, "rank": str(number)}
    for key, values in (("disk", ("ssd", "hdd")), ("zone", ("a", "b", "c"))):
        if dice.random() < 0.8:
            labels[key] = dice.choice(values)
    taints = [
        {"key": key, "value": dice.choice(("", "x", "7")), "effect": dice.choice(EFFECTS)}
        for key in ("gpu", "team")
        if dice.random() < 0.3
    ]
    offered = {"cpu": str(dice.choice((8, 16, 32))), "memory": "64Gi", "pods": "40"}
    if dice.random() < 0.3:
        offered["example.com/gpu"] = "4"
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": f"{namespace}-{number}",
            "labels": labels,
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "spec": {"taints": taints, "unschedulable": dice.random() < 0.15},
        "status": {"capacity": offered, "allocatable": offered},
    }


def a_requirement(dice: random.Random) -> Document:
    key = dice.choice(("disk", "zone", "rank", "missing"))
    operator = dice.choice(("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
    if operator in ("Gt", "Lt"):
        return {"key": "rank", "operator": operator, "values": [str(dice.randint(0, NODES))]}
    values = dice.sample(("ssd", "hdd", "a", "b", "c", "1", "2"), dice.randint(1, 3))
    found: Document = {"key": key, "operator": operator}
    return found if operator in ("Exists", "DoesNotExist") else {**found, "values": values}


def a_pod(dice: random.Random, namespace: str, number: int) -> Document:
    requests = {"cpu": f"{dice.choice((50, 100, 500, 2000, 9000))}m", "memory": "64Mi"}
    if dice.random() < 0.15:
        requests["example.com/gpu"] = str(dice.randint(1, 3))
    spec: dict[str, Any] = {
        "nodeSelector": {"judge": namespace},
        "terminationGracePeriodSeconds": 0,
        "containers": [
            {
                "name": "main",
                "image": "registry.example/main:1",
                "resources": {
                    "requests": requests,
                    "limits": {key: value for key, value in requests.items() if "/" in key},
                },
            }
        ],
    }
    if dice.random() < 0.2:
        spec["nodeSelector"]["disk"] = dice.choice(("ssd", "hdd"))
    terms = []
    for _ in range(dice.choice((0, 0, 1, 2))):
        expressions = [a_requirement(dice) for _ in range(dice.randint(1, 2))]
        terms.append({"matchExpressions": expressions})
    if dice.random() < 0.5:  # one node, so that each verdict of ours is about that one
        name = f"{namespace}-{dice.randrange(NODES)}"
        field = {"key": "metadata.name", "operator": dice.choice(("In", "In", "NotIn"))}
        terms = [{"matchFields": [{**field, "values": [name]}], **term} for term in terms or [{}]]
    if terms:
        spec["affinity"] = {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": terms}}}
    tolerations = []
    for key in ("gpu", "team", "node.kubernetes.io/unschedulable"):
        if dice.random() < 0.3:
            effect = dice.choice(("NoSchedule", "NoExecute", ""))
            exists = {"key": key, "operator": "Exists", "effect": effect}
            equal = {"key": key, "value": dice.choice(("", "x", "7")), "effect": effect}
            tolerations.append(dice.choice((exists, equal)))
    if dice.random() < 0.1:
        tolerations.append({"operator": "Exists"})
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"pod-{number}", "namespace": namespace},
        "spec": {**spec, "tolerations": tolerations},
    }


@pytest.fixture
def judged(admin: User, namespace: str) -> Any:
    """The nodes of a namespace as our code sees them, once all is known of them."""
    dice = random.Random(namespace)
    made = [a_node(dice, namespace, number) for number in range(NODES)]
    for node in made:
        admin.create(node)
    wanted = len(made)

    def settled() -> list[Document]:
        """The node controller has no taint left to add or remove."""
        found = admin.list("Node", labelSelector=f"judge={namespace}")
        return [
            node
            for node in found
            if condition(node, "Ready")["status"] == "True"
            and bool(node["spec"].get("unschedulable")) == ("unschedulable" in str(_taints(node)))
            and "not-ready" not in str(_taints(node))
        ]

    yield dice, eventually(settled, lambda found: len(found) == wanted, within=60)
    for node in made:
        admin.delete("Node", node["metadata"]["name"])


def _taints(node: Document) -> Any:
    return node["spec"].get("taints") or []


def test_the_real_scheduler_places_generated_pods_where_we_find_room(
    admin: User, product: object, namespace: str, judged: Any, counted: dict[str, int]
) -> None:
    dice, found = judged
    ledger = Ledger()
    for node in found:
        ledger.upsert_node(nodes.read(msgspec.convert(node, nodes.NodeManifest)))
    agreed: Counter[str] = Counter()
    for number in range(PODS):
        created = admin.create(a_pod(dice, namespace, number))
        before = pods.read(msgspec.convert(created, pods.PodManifest))
        books = ledger.update(Accounting())
        where = books.index.where(names.DEFAULT_QUOTA, before)
        ours = books.index.fit.fitting(where, before.size)
        name = created["metadata"]["name"]
        placed = eventually(
            functools.partial(admin.get, "Pod", name, namespace),
            lambda pod: condition(pod, "PodScheduled")["status"] != "",
        )
        host = placed["spec"].get("nodeName", "")
        if host:
            assert host in ours, f"the scheduler took {host}, we only {sorted(ours)}: {created}"
            ledger.upsert_pod(pods.read(msgspec.convert(placed, pods.PodManifest)))
        else:
            said = condition(placed, "PodScheduled")["message"]
            assert not ours, f"we have room on {sorted(ours)}, the scheduler: {said}: {created}"
            admin.delete("Pod", name, namespace, grace=0)
        agreed["bound" if host else "refused"] += 1
    assert sum(agreed.values()) == PODS >= 300
    assert min(agreed["bound"], agreed["refused"]) >= PODS // 5, agreed
    counted["generated pods that the scheduler placed where we have room"] = agreed["bound"]
    counted["generated pods that it refused and for which we have no room"] = agreed["refused"]
