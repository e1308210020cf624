"""The seven steps of the demo, each with its commands and claims.

The numbers are those of examples/two-teams: a pool of 48 cpu, a min of 24 cpu for team-a and of 16
cpu for team-b, and pods of 4 cpu.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from demo import claims, evictions, pods, tenant
from demo.cluster import Ground
from demo.pods import PodCounts
from demo.setting import CPU_NODES, GPU_NODES
from demo.stage import EXAMPLE, Stage
from local_cluster import product


_REFUSALS = {
    "refused/min-above-max.yaml": "[EQ1002]",
    "refused/leaf-as-parent.yaml": "[EQ1101]",
    "refused/min-already-given.yaml": "[EQ1104]",
}
_IMPORTANT: Mapping[str, PodCounts] = {"report": PodCounts(running=4), "web": PodCounts(running=4)}
_ALONE: Mapping[str, PodCounts] = {
    "preview": PodCounts(running=4, waiting=2),
    "report": PodCounts(running=4),
    "web": PodCounts(running=4),
}
_SHARED: Mapping[str, PodCounts] = {
    "api": PodCounts(running=4),
    "preview": PodCounts(waiting=6),
    "report": PodCounts(running=4),
    "web": PodCounts(running=4),
}
_ALONE_CPU = {"engineering": "48/48/40..48", "team-a": "48/48/24..48", "team-b": "0/16/16..48"}
_SHARED_CPU = {"engineering": "48/48/40..48", "team-a": "32/32/24..48", "team-b": "16/16/16..48"}

Pods = Sequence[Mapping[str, Any]]


def refuse(stage: Stage, _: Ground) -> None:
    """Step 1: invalid quotas are refused."""
    stage.screen.say("A user tries to create the quota team-c in three ways, each with an error.")
    for file, code in _REFUSALS.items():
        said = stage.refused("apply", "-f", f"{EXAMPLE}/{file}")
        claims.hold(f"the refusal of {file} has its code", code, code if code in said else said)
    stage.claim(
        "three refusals with three reasons, and no quota team-c exists",
        {"team-c": "no such quota"},
        lambda: stage.cpu("team-c"),
    )


def borrow(stage: Stage, _: Ground) -> None:
    """Step 2: a team borrows beyond its min and fills the pool."""
    stage.screen.say(
        "team-a starts a Deployment (web), a Job (report) and a Deployment of the lowest priority "
        "(preview): 14 pods of 4 cpu, 56 cpu together. Its min is 24 cpu, but no other quota uses "
        "the rest, so it may borrow."
    )
    stage.apply("4-priorities.yaml", "5-team-a.yaml")
    # Created first, preview would run first: by default no pod is preempted within its quota.
    stage.claim("the 8 more important pods run", _IMPORTANT, _pod_counts(stage, "team-a"))
    stage.apply("5b-team-a-preview.yaml")
    stage.claim("12 pods run, 2 of the lowest priority wait", _ALONE, _pod_counts(stage, "team-a"))
    stage.claim("team-a uses 48 cpu, twice its min", _ALONE_CPU, lambda: stage.cpu(*_ALONE_CPU))
    stage.claim(
        "all run on the cpu pool, although 32 cpu are idle in the gpu pool",
        CPU_NODES,
        lambda: pods.nodes(_pods(stage, "team-a")),
    )
    stage.tree()
    pod = pods.waiting(_pods(stage, "team-a"))[0]
    describe = ("describe", "pod", pod, "-n", "team-a")
    stage.claim(
        f"an event on {pod} says why it waits",
        "an event with QuotaExhausted",
        lambda: _with_reason(_events(stage.client.must(*describe))),
    )
    stage.show(" ".join(["kubectl", *describe, "| sed -n '/^Events:/,$p'"]))
    stage.screen.output(_events(stage.client.must(*describe)))


def reclaim(stage: Stage, ground: Ground) -> None:
    """Step 3: another team needs its min, and the operator reclaims it."""
    stage.screen.say(
        "team-b needs its min: 4 pods of 4 cpu. The pool is full, so the operator reclaims 16 of "
        "the 24 cpu that team-a has borrowed. After a short grace period it evicts 4 pods of the "
        "lowest priority, and no others."
    )
    before = _pods(stage, "team-a")
    evicted = ground.evictions("team-a")
    stage.apply("6-team-b.yaml")
    stage.claim("all pods of team-b run", _SHARED, _pod_counts(stage, "team-a", "team-b"))
    _only_the_least_important_left(stage, before, evicted)
    stage.claim(
        "team-b uses its min, team-a still borrows 8 cpu",
        _SHARED_CPU,
        lambda: stage.cpu(*_SHARED_CPU),
    )
    stage.tree()
    stage.ask("get", "events", "-n", "team-a", "--field-selector", "reason=QuotaReclaim")


def lend_again(stage: Stage, _: Ground) -> None:
    """Step 4: unused cpu is lent again."""
    stage.screen.say("team-b stops its pods. team-a may borrow the unused cpu again.")
    stage.ask("scale", "deployment/api", "-n", "team-b", "--replicas=0")
    stage.claim("4 waiting pods of team-a start", _ALONE, _pod_counts(stage, "team-a", "team-b"))
    stage.claim("team-a uses 48 cpu again", _ALONE_CPU, lambda: stage.cpu(*_ALONE_CPU))


def stay_in_tree(stage: Stage, _: Ground) -> None:
    """Step 5: pods of the other tree run on the other pool."""
    stage.screen.say(
        "Two pods of the quota vision, in the gpu tree. Neither selects nodes, and prepare does "
        "not even request a GPU."
    )
    stage.apply("7-vision.yaml")
    both: Mapping[str, PodCounts] = {"prepare": PodCounts(running=1), "train": PodCounts(running=1)}
    stage.claim("both run", both, _pod_counts(stage, "vision"))
    stage.ask(
        *("get", "pods", "-n", "vision", "-o"),
        "custom-columns=NAME:.metadata.name,STATUS:.status.phase,NODE:.spec.nodeName",
    )
    stage.ask("get", "pod", "prepare", "-n", "vision", "-o", "jsonpath={.spec.affinity}")
    stage.claim(
        "both are on the gpu pool, because admission added a node affinity",
        "nowhere else",
        lambda: ", ".join(pods.nodes(_pods(stage, "vision")) - GPU_NODES) or "nowhere else",
    )


def keep_the_gate(stage: Stage, _: Ground) -> None:
    """Step 6: a tenant cannot ungate its own pod."""
    stage.screen.say(
        "alice may edit everything in the namespace team-a. She tries to remove the gate from a "
        "waiting pod, with the token of her ServiceAccount."
    )
    stage.apply("8-tenant.yaml")
    pod = pods.waiting(_pods(stage, "team-a"))[0]
    with tenant.kubeconfig(stage.client, "alice", "team-a") as alice:
        stage.ask("auth", "can-i", "patch", "pods", "-n", "team-a", kubeconfig=alice)
        remove = '[{"op": "remove", "path": "/spec/schedulingGates"}]'
        said = stage.refused(
            *("patch", "pod", pod, "-n", "team-a", "--type=json", "-p", remove), kubeconfig=alice
        )
    claims.hold("the refusal has its code", "[PD1303]", "[PD1303]" if "[PD1303]" in said else said)
    stage.claim("the pod still waits", _ALONE, _pod_counts(stage, "team-a"))


def survive(stage: Stage, ground: Ground) -> None:
    """Step 7: the leading controller is killed during a reclaim, and the end state is the same."""
    stage.screen.say(
        "team-b needs its min again, as in step 3. As soon as the first pod of team-a is evicted, "
        "the demo kills the leading controller without warning."
    )
    before = _pods(stage, "team-a")
    evicted = ground.evictions("team-a")
    leader = stage.leader()
    stage.ask("scale", "deployment/api", "-n", "team-b", "--replicas=4")
    claims.await_true("the first pod is evicted", lambda: bool(evicted()))
    how = ground.kill(leader)
    stage.show(how)
    running = stage.pod_counts("team-b").get("api", PodCounts()).running
    answered = sum(eviction.answered for eviction in evicted())
    stage.screen.say(
        f"{leader} was the leader and is killed. At that moment {answered} of 4 evictions had been "
        f"answered, and {running} of 4 pods of team-b ran."
    )
    stage.claim("the pods are as after step 3", _SHARED, _pod_counts(stage, "team-a", "team-b"))
    stage.ask("get", "pods", "-n", product.NAMESPACE)
    stage.claim("the published figures, too", _SHARED_CPU, lambda: stage.cpu(*_SHARED_CPU))
    _only_the_least_important_left(stage, before, evicted)
    stage.tree()


def _only_the_least_important_left(
    stage: Stage, before: Pods, evicted: Callable[[], Sequence[evictions.Eviction]]
) -> None:
    """Claim that exactly the pods of the lowest priority went, and each of them by an eviction."""
    workloads = {pod["metadata"]["name"]: pod["metadata"]["labels"]["app"] for pod in before}

    def look() -> dict[str, str]:
        asked = evicted()
        victims = {eviction.pod for eviction in asked}
        left = {pod["metadata"]["name"] for pod in _pods(stage, "team-a")}
        others = victims ^ (workloads.keys() - left)
        return {
            "evicted": ", ".join(sorted(workloads.get(pod, pod) for pod in victims)),
            "by": ", ".join({eviction.by for eviction in asked}),
            "gone otherwise": ", ".join(others) or "no pod",
        }

    expected = {
        "evicted": "preview, preview, preview, preview",
        "by": evictions.CONTROLLER,
        "gone otherwise": "no pod",
    }
    stage.claim(
        f"just 4 pods went, all of the lowest priority; evicted by {evictions.CONTROLLER}",
        expected,
        look,
    )


def _pod_counts(stage: Stage, *namespaces: str) -> Callable[[], Mapping[str, PodCounts]]:
    return lambda: stage.pod_counts(*namespaces)


def _pods(stage: Stage, namespace: str) -> Pods:
    return stage.client.items("pods", "-n", namespace)


def _events(described: str) -> str:
    return described[described.find("\nEvents:") + 1 :]


def _with_reason(events: str) -> str:
    return "an event with QuotaExhausted" if "QuotaExhausted" in events else events
