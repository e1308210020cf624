"""The pod sets of a ProvisioningRequest: templates with the number of pods of each.

Pods of a group with the same request and the same constraints are one set, whose template is the
first of them. Pod sets of a job have the templates that the job states; where it states only an
amount, or a template that the API server refuses, a template asks for the amount alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from elasticquota import names, resources
from elasticquota.jobs import paths
from elasticquota.jobs.adapter import JobAdapter
from elasticquota.jobs.job import Job
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.selector import Requirement, Selector
from elasticquota.resources import Resources
from elasticquota.structs import Struct


MOST: Final = 32
"""Largest number of pod sets in a request; the API server refuses more."""

_IMAGE: Final = "registry.k8s.io/pause:3.10"
"""Of templates that only state an amount; no such pod is ever made."""
_OF_ONE_POD: Final = ("nodeName", "schedulingGates", "ephemeralContainers", "hostname")
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"


class EqualPods(Struct, frozen=True):
    """A number of equal pods."""

    count: int
    request: Resources
    """Of one pod, accounting units."""
    pod: Key | None = None
    """The pod whose spec is the template; None: ``template`` is it."""
    template: Mapping[str, Any] | None = None
    """None with ``pod`` None: only the amount is known."""


def of_pods(pods: Sequence[Pod]) -> tuple[EqualPods, ...]:
    """Return the pod sets of a group, in the order of their first pods."""
    counts: dict[object, list[Pod]] = {}
    for pod in pods:
        counts.setdefault((pod.size, pod.constraints), []).append(pod)
    return tuple(EqualPods(len(same), same[0].request, same[0].key) for same in counts.values())


def of_job(job: Job, adapter: JobAdapter, document: Any) -> tuple[EqualPods, ...]:
    """Return the pod sets with which the job starts."""
    written = {
        entry.shown(row.template): entry.at(row.template)
        for row in adapter.pods
        if not row.bare
        for entry in paths.entries(document, row.template)
    }
    return tuple(
        EqualPods(each.least, each.request, None, _template(written.get(each.where)))
        for each in job.pods
        if each.least
    )


def template_of(pod: Mapping[str, Any], nodes: Selector) -> dict[str, Any]:
    """Return the template that describes a pod, or that a job states, on the nodes of its tree.

    It has what decides about nodes: labels and spec. What belongs to one pod is left out.
    """
    metadata, spec = pod.get("metadata"), pod.get("spec")
    labels = metadata.get("labels") if isinstance(metadata, Mapping) else None
    kept = {
        key: value
        for key, value in (spec.items() if isinstance(spec, Mapping) else ())
        if key not in _OF_ONE_POD
    }
    template: dict[str, Any] = {"spec": _on(kept, nodes.requirements)}
    if isinstance(labels, Mapping) and labels:
        template["metadata"] = {"labels": dict(labels)}
    return template


def bare_template(request: Resources, nodes: Selector) -> dict[str, Any]:
    """Return the template of a pod of which only the request is known."""
    amounts = resources.text(
        {
            key: amount
            for key, amount in request.items()
            if amount > 0 and key not in (names.PODS, names.MAX_JOBS)
        }
    )
    # Extended resources must have a limit, equal to the request.
    limits = {key: amount for key, amount in amounts.items() if "/" in key}
    container = {
        "name": "main",
        "image": _IMAGE,
        "resources": {"requests": amounts, **({"limits": limits} if limits else {})},
    }
    return {"spec": _on({"containers": [container]}, nodes.requirements)}


def _template(written: Any) -> Mapping[str, Any] | None:
    spec = written.get("spec") if isinstance(written, Mapping) else None
    containers = spec.get("containers") if isinstance(spec, Mapping) else None
    return written if isinstance(containers, list) and containers else None


def _on(spec: dict[str, Any], requirements: Sequence[Requirement]) -> dict[str, Any]:
    """The spec with the nodes of its tree in each alternative of its required node affinity.

    An affinity that cannot be read is left as it is: the API server refuses the template.
    """
    wanted = [
        {"key": each.key, "operator": each.operator, **_values(each)}
        for each in requirements
        if each.key
    ]
    affinity = spec.get("affinity") or {}
    if not wanted or not isinstance(affinity, Mapping):
        return spec
    of_nodes = affinity.get("nodeAffinity") or {}
    if not isinstance(of_nodes, Mapping):
        return spec
    required = of_nodes.get(_REQUIRED) or {}
    terms = required.get("nodeSelectorTerms") if isinstance(required, Mapping) else None
    narrowed = [_narrowed(term, wanted) for term in terms or [{"matchExpressions": []}]]
    return {
        **spec,
        "affinity": {
            **affinity,
            "nodeAffinity": {**of_nodes, _REQUIRED: {"nodeSelectorTerms": narrowed}},
        },
    }


def _narrowed(term: Any, wanted: Sequence[Mapping[str, Any]]) -> Any:
    if not isinstance(term, Mapping):
        return term
    there = term.get("matchExpressions")
    there = there if isinstance(there, list) else []
    if not there and not term.get("matchFields") and term != {"matchExpressions": []}:
        return term  # it matches no node, and an expression would make it match some
    return {**term, "matchExpressions": [*there, *(each for each in wanted if each not in there)]}


def _values(requirement: Requirement) -> dict[str, Any]:
    return {"values": list(requirement.values)} if requirement.values else {}
