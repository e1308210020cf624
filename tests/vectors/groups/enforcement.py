"""Which pods run, wait or are reclaimed: decided by the product from a ledger."""

import re
from collections.abc import Iterator

from elasticquota import names, resources
from elasticquota.resources import Resources
from tests.vectors import product, reading
from tests.vectors.figures import Figure
from tests.vectors.product import Cluster
from tests.vectors.reading import Fields, Row


_SECONDS = re.compile(r"([0-9]+)s")
_ONE: Resources = {names.CPU: 1000}


def revoke(row: Row, fields: Fields) -> Iterator[Figure]:
    """Usage above runtime that outlasts the delay is reclaimed."""
    if "quotas" in fields:
        yield from _over_together(fields)
        return
    cluster = Cluster()
    # No pod waits here, so runtime is max; a negative runtime counts as zero.
    limit = {key: max(0, amount) for key, amount in fields.amounts("runtime").items()}
    cluster.node("node", dict.fromkeys(limit, 2**62))
    cluster.quota(product.make_quota("q", max=limit))
    for pod in fields.parts("assigned_pods"):
        size = pod.amounts("requests")
        preemptible = not pod.get("non_preemptible", False)
        cluster.pod(
            pod["name"], "q", size, node="node", priority=pod["priority"], preemptible=preemptible
        )
    for name in fields.get("used_still_counts") or {}:
        # It counts and can be no victim any more: here that is a pod on its way out.
        still = reading.amounts(fields["used_still_counts"][name], name)
        cluster.pod(name, "q", still, node="node", deleting=True)
    victims = cluster.victims()
    if "expected_victims_in_order" in fields:
        expected = fields["expected_victims_in_order"]
        yield Figure("victims", sorted(victims), sorted(expected))
        yield Figure("order of victims", victims, expected)
    if "expected_victim_count" in fields:
        yield Figure("victim_count", len(victims), fields["expected_victim_count"])


def preempt(row: Row, fields: Fields) -> Iterator[Figure]:
    """Whether one pod may take the place of another of its quota, which has room for one."""
    cluster = Cluster()
    cluster.node("node", _ONE)
    found = {side: fields.part(side) for side in ("victim", "preemptor")}
    for name in {part["quota"] for part in found.values()}:
        cluster.quota(product.make_quota(name, max=_ONE))
    for side, part in found.items():
        cluster.pod(
            side,
            part["quota"],
            _ONE,
            node="node" if side == "victim" else "",
            waiting=side == "preemptor",
            priority=part["priority"],
            preemptible=part.get("preemptible_label") != "false",
        )
    yield Figure("expected", cluster.give_way() == ["victim"], fields["expected"])


def pdb_grouping(row: Row, fields: Fields) -> Iterator[Figure]:
    """Candidates that a disruption budget protects: those whose eviction is refused.

    A more important pod needs the room of each; the API server, which alone knows budgets, allows
    so many of those that one covers. Who was refused is not asked again.
    """
    cluster = Cluster()
    count = fields["pods"]
    cluster.node("node", {names.CPU: count * 1000})
    cluster.quota(product.make_quota("q", max={names.CPU: count * 1000}))
    for index in range(count):
        cluster.pod(f"low-{index}", "q", _ONE, node="node")
        cluster.pod(f"high-{index}", "q", _ONE, waiting=True, priority=1)
    covered = _covered(row)
    allowed = fields["allowed"] if covered else count
    for number, name in enumerate(cluster.give_way()):
        if number < allowed:
            cluster.ledger.expect_eviction(name)
        else:
            cluster.ledger.withhold(name)
    gone = len(cluster.ledger.evicting)
    yield Figure("allowed", gone if covered else 0, fields["allowed"])
    yield Figure("violating", count - gone + len(cluster.give_way()), fields["violating"])


def _covered(row: Row) -> bool:
    """A pod without labels is selected by no budget."""
    case = row.written.get("case") or row.written.get("source", {}).get("case", "")
    return "no labels" not in case


def prefilter(row: Row, fields: Fields) -> Iterator[Figure]:
    """Whether a waiting pod is released now."""
    fields.said("enable_runtime_quota")
    cluster = Cluster()
    if "pod" in fields:
        pod = fields.part("pod")
        asked = pod.amounts("requests")
        cluster.node("node", fields.amounts("total"))
        quota = product.make_quota("q", min=fields.amounts("min"), max=fields.amounts("max"))
        cluster.quota(quota)
        for index, assigned in enumerate(fields.parts("assigned_pods")):
            preemptible = not assigned["non_preemptible"]
            size = assigned.amounts("requests")
            cluster.pod(f"pod-{index}", "q", size, node="node", preemptible=preemptible)
        preemptible = not pod["non_preemptible"]
        cluster.pod("pod", "q", asked, waiting=True, preemptible=preemptible)
    elif "parent_runtime" in fields:
        fields.said("check_parent")
        asked = fields.amounts("pod_request")
        _under_parent(cluster, asked, fields.amounts("parent_runtime"))
        cluster.quota(product.make_quota("q", parent="parent", max=fields.amounts("child_runtime")))
        cluster.pod("pod", "q", asked, waiting=True)
    else:
        cluster.node("node", fields.amounts("runtime"))
        asked = fields.amounts("pod_request")
        cluster.quota(product.make_quota("q", max=dict.fromkeys(asked, 2**62)))
        cluster.pod("used", "q", fields.amounts("used"), node="node")
        cluster.pod("pod", "q", asked, waiting=True)
    yield from _released(cluster, fields)


def _under_parent(cluster: Cluster, asked: Resources, runtime: Resources) -> None:
    """A parent with this runtime, and a busy sibling whose guarantee takes the rest."""
    cluster.node("node", resources.add(runtime, asked))
    cluster.quota(product.make_quota("sibling", min=asked, max=asked))
    cluster.pod("sibling", "sibling", asked, node="node")
    cluster.quota(product.make_quota("parent", is_parent=True))


def _released(cluster: Cluster, fields: Fields) -> Iterator[Figure]:
    decisions = cluster.decide()
    released = any(release.pod.name == "pod" for release in decisions.releases)
    yield Figure("schedulable", released, fields["schedulable"])
    blamed = re.findall(r"\[([^\]]*)\]", fields.get("reason_gist") or "")
    if blamed:
        (message,) = (wait.message for wait in decisions.waits if wait.pod.name == "pod")
        named = re.findall(r"exceedDimensions: \[([^\]]*)\]", message)
        yield Figure("reason_gist", named, blamed[-1:])


def _over_together(fields: Fields) -> Iterator[Figure]:
    """Several quotas over their runtimes at once, and how many quotas are watched at all."""
    match = _SECONDS.fullmatch(fields["delay"])
    if match is None:
        raise reading.ReadingError(f"{fields.where}.delay must be seconds like 120s")
    delay = int(match[1]) * 1000
    used = reading.amounts({names.CPU: fields["each_used_cpu"]}, "each_used_cpu")
    runtime = reading.amounts({names.CPU: fields["each_runtime_cpu"]}, "each_runtime_cpu")
    quotas = fields["quotas"]
    together = _holding(quotas, used, runtime).victims(delay)
    yield Figure("triggered", sorted(together), sorted(fields["expected_triggered"]))
    watched = [
        name
        for name in (*quotas, names.DEFAULT_QUOTA)
        if _holding([name], used, runtime).victims(delay)
    ]
    yield Figure("monitored_count", len(watched), fields["monitored_count"])


def _holding(quotas: list[str], used: Resources, runtime: Resources) -> Cluster:
    cluster = Cluster()
    cluster.node("node", {names.CPU: 2**62})
    for name in quotas:
        cluster.quota(product.make_quota(name, max=runtime))
        cluster.pod(name, name, used, node="node")
    return cluster


TABLES = {
    ("revoke", "vectors"): revoke,
    ("preempt", "vectors"): preempt,
    ("preempt", "pdb_grouping"): pdb_grouping,
    ("prefilter", "vectors"): prefilter,
}
