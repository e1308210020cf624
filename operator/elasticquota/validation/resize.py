"""PD1305: a running pod may grow only as far as every runtime on its path to the root has room.

Runtime depends on requests, so it is recomputed as if the pod had the larger request already: for
every quota on the path and its siblings, from the figures that the controller published. A pod may
always shrink. It may also grow again into what it still holds: its size is the larger of what it
asks for and what it holds. A pod that may not be reclaimed grows within min only, as at its
admission.

The figures are about a second old; the webhook adds what it permitted in the last seconds. The
accounts follow what is allocated, and what is too much is reclaimed like any other over-use. The
total of the default tree is published only if there is an object of its root quota. Without it,
only max and the parents below the root limit the growth.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from elasticquota import names, quantity, resources
from elasticquota.forest import violation, wording
from elasticquota.forest.structure import Forest, Tree
from elasticquota.forest.violation import Violation
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Figures
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing.runtime import Runtimes
from elasticquota.structs import replace
from elasticquota.validation.usage import GuaranteedUsage


_NOTHING: Final = Figures()
_BOUNDLESS: Final = 2**80


def growth(old: Pod, new: Pod) -> Resources:
    """Return what the edit adds to the pod's size; empty for a waiting pod (judged later)."""
    if old.gated:
        return EMPTY
    return resources.positive(resources.subtract(new.request, old.request))


def check(
    asked: Resources,
    quota: str,
    forest: Forest,
    published: Mapping[str, Figures],
    firm: Resources = EMPTY,
) -> Iterator[Violation]:
    """Yield the resources of which ``asked`` is more than is left in a quota on the path.

    ``asked`` must not be empty. ``published`` is by quota name, for the path and the children of
    every quota on it; in guarantee mode for the whole tree. ``firm`` is what the pod has if it may
    not be reclaimed. Then all such pods of the quota together must stay within min.
    """
    path = forest.path(quota)
    if not path:
        message = f"quota '{quota}' is in no tree, so it has no share to grow into"
        yield Violation(
            "PD1305",
            "",
            message,
            "Have the quota corrected first",
            kind="forbidden",
            more=violation.explain(quota),
        )
        return
    unknown = [name for name in path if name not in published and name != names.ROOT_QUOTA]
    if unknown:
        message = (
            f"the current share of quota '{unknown[0]}' is not known yet, so the growth was not "
            "judged"
        )
        yield Violation("PD1305-unknown", "", message)
        return
    runtimes = _runtimes(asked, path, forest, published)
    for resource, more in sorted(asked.items()):
        room = [
            (runtime - published.get(name, _NOTHING).admitted.get(resource, 0), runtime, name)
            for name in path
            if (runtime := runtimes.runtime(name).get(resource)) is not None
        ]
        # The quota with the least left; of equals, the one closest to the pod.
        left, runtime, tightest = min(room, key=lambda each: each[0], default=(more, 0, quota))
        if more > left:
            text = partial(quantity.shown, resource)
            yield Violation(
                "PD1305",
                "",
                f"needs {wording.amount(resource, more)} more; quota '{tightest}' has "
                f"{text(max(left, 0))} of its current share of {text(runtime)} left "
                f"({_bounds(resource, tightest, forest)})",
                "Ask for less, or wait until others use less",
                kind="forbidden",
                more=violation.explain(tightest),
            )
    yield from _beyond_min(asked, quota, forest, published.get(quota, _NOTHING), firm)


def _beyond_min(
    asked: Resources, quota: str, forest: Forest, own: Figures, firm: Resources
) -> Iterator[Violation]:
    """Resources beyond min; a key without min is not judged, as at admission."""
    low = forest.effective_min(quota) if firm else EMPTY
    for resource, more in sorted(asked.items()):
        held = max(own.non_preemptible.get(resource, 0), firm.get(resource, 0))
        if resource in low and held + more > low[resource]:
            text = partial(quantity.shown, resource)
            yield Violation(
                "PD1305",
                "",
                f"needs {wording.amount(resource, more)} more and may not be evicted; such pods of "
                f"quota '{quota}' may use what is guaranteed, and they use {text(held)} of "
                f"{text(low[resource])}",
                "Ask for less, or have the guarantee raised",
                kind="forbidden",
                more=violation.explain(quota),
            )


def _bounds(resource: str, quota: str, forest: Forest) -> str:
    return wording.bounds(resource, forest.effective_min(quota), forest.quotas[quota].max)


def _runtimes(
    asked: Resources, path: tuple[str, ...], forest: Forest, published: Mapping[str, Figures]
) -> Runtimes:
    """Runtimes of the path and its siblings; the siblings' requests include all below them."""
    whole = forest.trees[forest.tree_of[path[0]]]
    levels = [whole.children[above] for above in reversed(path[1:])]
    order = (whole.root, *(name for level in levels for name in level))
    children = {name: whole.children[name] if name in path[1:] else () for name in order}
    runtimes = Runtimes(replace(whole, order=order, children=children), forest)
    for name in order:
        request = published.get(name, _NOTHING).request
        for child in children[name]:
            below = published.get(child, _NOTHING).request
            request = resources.subtract(request, resources.cut(below, forest.quotas[child].max))
        more = asked if name == path[0] else EMPTY
        runtimes.set_request(name, resources.positive(resources.add(request, more)))
    if whole.guarantees_use:
        _set_usages(runtimes, path, order, whole, forest, published)
    total = published[whole.root].runtime if whole.root in published else None
    counted = runtimes.runtime(whole.root)
    runtimes.set_capacity(dict.fromkeys(counted, _BOUNDLESS) if total is None else total)
    runtimes.settle()
    return runtimes


def _set_usages(
    runtimes: Runtimes,
    path: tuple[str, ...],
    order: tuple[str, ...],
    whole: Tree,
    forest: Forest,
    published: Mapping[str, Figures],
) -> None:
    """Add usage; in guarantee mode, usage below a sibling is part of the sibling's floor."""
    used_by = {name: figures.used for name, figures in published.items()}
    counted = runtimes.runtime(whole.root)
    usage_of = {resource: GuaranteedUsage(resource, whole, forest, used_by) for resource in counted}
    for name in order:
        runtimes.set_usage(
            name,
            {
                resource: (held.own if name in path[1:] else held.allocated)[name]
                for resource, held in usage_of.items()
            },
        )
