"""The chapters of the session: what alice of team-a types and reads, and why.

Before each look the chapter waits, as the administrator, until what it is about has happened.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from demo import claims, pods
from demo.client import Client
from tenant_session.recorder import Recorder


GRACE_SECONDS: Final = 45
_WITHIN: Final = 90.0
_EVENTS: Final = "| sed -n '/^Events:/,$p'"


def begin(page: Recorder, _: Client) -> None:
    """What the team has, and what a dry run says."""
    page.say(
        "<!-- Written by tools/tenant_session on a local cluster: python -m tenant_session -->",
        "# What a tenant sees, from apply to eviction and back",
        "Alice is a member of team-a, and Bob is one of team-b. Each has the role `edit` in the "
        "own namespace and no right beside it. Both teams belong to the department engineering, "
        "which shares 48 cpu: team-a is guaranteed 24 of them, and team-b 16 "
        "([the quotas](../../examples/two-teams/3-quotas.yaml)).",
        "A tool typed all commands of this page on a real API server and wrote down what they "
        "printed. You can follow it on the cluster that `make demo` leaves. Here reclaim begins "
        f"after {GRACE_SECONDS} s (`config.reclaim.graceSeconds`) instead of 5.",
        "## 1. What may I use?",
        "The columns show what is used, the share, the guarantee and the limit. Nothing runs yet, "
        "so the share is what team-a is guaranteed.",
    )
    page.run("alice", "kubectl get eq")
    page.say("Before she starts anything, Alice asks what would become of her workloads:")
    page.run(
        "alice",
        "kubectl apply --dry-run=server -f examples/two-teams/5-team-a.yaml",
    )


def borrow(page: Recorder, admin: Client) -> None:
    """The team fills the pool, and two pods wait."""
    page.say(
        "## 2. Apply, and borrow",
        "Some samples first, which end soon; then a service (16 cpu), a report (16 cpu), and "
        "previews of a lower priority (24 cpu). No manifest mentions a quota.",
    )
    page.run("alice", "kubectl apply -f examples/tenant/1-samples.yaml")
    admin.must("wait", "--for=condition=complete", "job/samples", "-n", "team-a", "--timeout=25s")
    page.run("alice", "kubectl apply -f examples/two-teams/5-team-a.yaml")
    _await_pods(admin, "team-a", web=pods.PodCounts(4), report=pods.PodCounts(4))
    page.run("alice", "kubectl apply -f examples/two-teams/5b-team-a-preview.yaml")
    _await_pods(admin, "team-a", preview=pods.PodCounts(4, 2))
    _await_event(admin, "team-a", "Deployment", "preview", "QuotaWait", "2 of 6 pods wait")
    page.say(
        "team-a uses 48 cpu, twice its guarantee: the rest is borrowed from team-b, which is idle.",
    )
    _await_summary(admin, "team-a", "48/48/24..48")
    page.run("alice", "kubectl get eq -o wide", "kubectl get pods -l app=preview")


def ask_why(page: Recorder, admin: Client) -> None:
    """What each place says of the pods that wait."""
    waiting = _first_waiting(admin, "team-a", "Position 1 of 2")
    page.say(
        "## 3. Why do two of them wait?",
        "The pod says it, and so does the Deployment that Alice made:",
    )
    page.run(
        "alice",
        f"kubectl describe pod {waiting} {_EVENTS}",
        f"kubectl describe deployment preview {_EVENTS}",
    )
    page.say("With the plugin she asks about the Deployment as a whole, and about her quota:")
    page.run(
        "alice",
        "kubectl elastic-quota why deploy/preview",
        "kubectl elastic-quota pending",
    )
    page.say("A further job would wait behind them:")
    page.run("alice", "kubectl apply --dry-run=server -f examples/tenant/2-nightly.yaml")


def claim(page: Recorder, admin: Client) -> None:
    """The other team asks for its guarantee."""
    page.say(
        "## 4. The owner claims its guarantee",
        "Now Bob starts 4 pods of 4 cpu in team-b: all of its guarantee. A dry run says what that "
        "takes.",
    )
    page.run("bob", "kubectl apply --dry-run=server -f examples/two-teams/6-team-b.yaml")
    page.run("bob", "kubectl apply -f examples/two-teams/6-team-b.yaml")
    _await_summary(admin, "team-a", "48/32/24..48")
    waiting = _first_waiting(admin, "team-b", "Position 1 of 4")
    _await_event(admin, "team-b", "Pod", waiting, "QuotaWait", "within its guarantee")
    page.say("His pods wait for a moment, and say for what:")
    page.run("bob", f"kubectl describe pod {waiting} {_EVENTS}")
    page.say(
        "Alice sees that her current share has fallen to 32 cpu. Her pods hold 16 cpu more, and "
        "the condition `Overused` is True. Nothing is evicted yet.",
    )
    _await_condition(admin, "team-a", "Overused", "True")
    page.run("alice", "kubectl get eq", "kubectl describe eq team-a | grep 'too much'")


def lose(page: Recorder, admin: Client) -> None:
    """Four pods are evicted, and say why."""
    _await_pods(admin, "team-b", api=pods.PodCounts(4))
    _await_pods(admin, "team-a", preview=pods.PodCounts(0, 6))
    _await_event(admin, "team-a", "ElasticQuota", "team-a", "QuotaReclaim", "4 pods")
    _await_event(admin, "team-a", "Deployment", "preview", "QuotaReclaim", "4 pods")
    _await_event(admin, "team-a", "Deployment", "preview", "QuotaWait", "6 of 6 pods wait")
    _await_summary(admin, "team-a", "32/32/24..48")
    page.say(
        f"## 5. After {GRACE_SECONDS} s: four pods are evicted",
        "They are the previews, because their priority is the lowest. The Deployment created them "
        "again, and they wait.",
    )
    page.run("alice", "kubectl get eq")
    page.say(
        "The evicted pods are gone; their events stay, and those of the Deployment and the quota. "
        "Bob reads the same on his quota.",
    )
    page.run(
        "alice",
        "kubectl get events --field-selector reason=QuotaReclaim",
        "kubectl elastic-quota history",
    )
    page.run("bob", f"kubectl describe eq team-b {_EVENTS}")


def return_(page: Recorder, admin: Client) -> None:
    """The other team stops, and all pods start again."""
    page.say("## 6. And back", "Bob has finished, and Alice's report is done:")
    page.run("bob", "kubectl scale deployment/api --replicas=0")
    page.run("alice", "kubectl delete job report")
    _await_pods(admin, "team-a", preview=pods.PodCounts(6), web=pods.PodCounts(4))
    _await_event(admin, "team-a", "Deployment", "preview", "QuotaAdmitted", "waits")
    _await_summary(admin, "team-a", "40/40/24..48")
    page.say("The previews started again without a command of hers, and nothing waits any more:")
    page.run(
        "alice",
        "kubectl get pods -l app=preview",
        "kubectl get eq",
        "kubectl elastic-quota why deploy/preview",
    )
    page.say(
        "## What to read next",
        "[My pod waits](../how-to/pod-waits.md), [my pod was evicted](../how-to/pod-evicted.md), "
        "[how an estimate is made](../wait-estimate.md), [reclaim](../reclaim.md).",
    )


CHAPTERS: Final[Sequence[Callable[[Recorder, Client], None]]] = (
    begin,
    borrow,
    ask_why,
    claim,
    lose,
    return_,
)


def _await_pods(admin: Client, namespace: str, **expected: pods.PodCounts) -> None:
    def look() -> dict[str, pods.PodCounts]:
        found = pods.count(admin.items("pods", "-n", namespace))
        return {name: found.get(name, pods.PodCounts()) for name in expected}

    claims.await_equal(f"the pods of {namespace}", expected, look, _WITHIN)


def _await_summary(admin: Client, quota: str, cpu: str) -> None:
    def look() -> str:
        (found,) = admin.items("elasticquota", quota, "-n", quota)
        return str(found.get("status", {}).get("summary", {}).get("cpu", ""))

    claims.await_equal(f"cpu of {quota}", cpu, look, _WITHIN)


def _await_condition(admin: Client, quota: str, type_: str, status: str) -> None:
    def look() -> str:
        (found,) = admin.items("elasticquota", quota, "-n", quota)
        conditions = found.get("status", {}).get("conditions", ())
        return next((str(each["status"]) for each in conditions if each["type"] == type_), "")

    claims.await_equal(f"{type_} of {quota}", status, look, _WITHIN)


def _await_event(
    admin: Client, namespace: str, kind: str, name: str, reason: str, part: str
) -> None:
    where = f"involvedObject.kind={kind},involvedObject.name={name},reason={reason}"

    def look() -> bool:
        found = admin.items("events", "-n", namespace, "--field-selector", where)
        return any(part in event.get("message", "") for event in found)

    claims.await_true(f"{reason} on {kind} {name} says {part}", look, _WITHIN)


def _first_waiting(admin: Client, namespace: str, part: str) -> str:
    """The name of the waiting pod whose message has this part."""

    def look() -> Sequence[str]:
        found = _waiting(admin, namespace)
        return [pod["metadata"]["name"] for pod in found if part in _why(pod)]

    claims.await_true(f"a pod of {namespace} says {part}", lambda: len(look()) == 1, _WITHIN)
    return look()[0]


def _waiting(admin: Client, namespace: str) -> Sequence[Mapping[str, Any]]:
    return [pod for pod in admin.items("pods", "-n", namespace) if pods.waits(pod)]


def _why(pod: Mapping[str, Any]) -> str:
    conditions = pod.get("status", {}).get("conditions", ())
    return " ".join(str(each.get("message", "")) for each in conditions)
