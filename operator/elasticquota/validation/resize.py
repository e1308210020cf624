"""A running pod grows only as far as the runtimes on its path to the root have room.

PD1305. Runtime follows what is asked for, so it is worked out anew for the pod's larger request, as
if that request had stood already: the shares of every quota on the path and its siblings, from the
figures that the controller published. Shrinking is always allowed, and so is what shrinking has
not given back yet: a pod's size is the most of what it asks for and what it still holds. A pod that
may not be taken back grows within min only, as it was let in.

About a second old, and nothing is booked: of two pods that grow in one second both may pass. The
accounts follow what is allocated, and what is too much is taken back like any over-use. In the
default tree nobody publishes what its nodes offer, unless somebody keeps an object of the root
quota; without it only max and the parents below the root limit a growth.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from elasticquota import names, quantity, resources
from elasticquota.forest.structure import Forest, Tree
from elasticquota.model.figures import Figures
from elasticquota.model.pod import Pod
from elasticquota.resources import EMPTY, Resources
from elasticquota.sharing.runtime import Runtimes
from elasticquota.validation.usage import Holdings
from elasticquota.validation.violation import Violation


_NOTHING: Final = Figures()
_BOUNDLESS: Final = 2**80


def growth(old: Pod, new: Pod) -> Resources:
    """What the edit adds to the pod's size; nothing for a pod that waits and is judged later."""
    if old.gated:
        return EMPTY
    return resources.positive(resources.subtract(new.request, old.request))


def check(
    asked: Resources,
    quota: str,
    forest: Forest,
    published: Mapping[str, Figures],
    firm: Resources = EMPTY,
) -> tuple[Violation, ...]:
    """Resources of which ``asked``, not empty, is more than is left somewhere on the path.

    ``published`` by quota, needed for the path and for the children of every quota on it; where use
    is guaranteed, for the whole tree. ``firm`` is what the pod has itself if it may not be taken
    back: then it also has to stay within min, with all others of the quota that may not.
    """
    path = forest.path(quota)
    if not path:
        message = f"quota '{quota}' stands in no tree, so there is nothing left to grow into"
        return (Violation("PD1305", "", message, "Mend the quota first", kind="forbidden"),)
    unknown = [name for name in path if name not in published and name != names.ROOT_QUOTA]
    if unknown:
        message = f"no runtime of quota '{unknown[0]}' is known yet, so the growth was not judged"
        return (Violation("PD1305-unknown", "", message),)
    runtimes = _runtimes(asked, path, forest, published)
    violations = []
    for resource, more in sorted(asked.items()):
        room = [
            (runtime - published.get(name, _NOTHING).admitted.get(resource, 0), runtime, name)
            for name in path
            if (runtime := runtimes.runtime(name).get(resource)) is not None
        ]
        # The least that is left on the path; of equals the one closest to the pod.
        left, runtime, tightest = min(room, key=lambda each: each[0], default=(more, 0, quota))
        if more > left:
            text = partial(quantity.text, resource)
            violations.append(
                Violation(
                    "PD1305",
                    "",
                    f"{text(more)} more {resource} asked, but {text(max(left, 0))} is left of the "
                    f"runtime {text(runtime)} of quota '{tightest}'",
                    "Ask for less, or wait until others give back",
                    kind="forbidden",
                )
            )
    return (*violations, *_beyond_min(asked, quota, forest, published.get(quota, _NOTHING), firm))


def _beyond_min(
    asked: Resources, quota: str, forest: Forest, own: Figures, firm: Resources
) -> Iterator[Violation]:
    """Keys without min are not judged, as when a pod is let in."""
    low = forest.effective_min(quota) if firm else EMPTY
    for resource, more in sorted(asked.items()):
        held = max(own.non_preemptible.get(resource, 0), firm.get(resource, 0))
        if resource in low and held + more > low[resource]:
            text = partial(quantity.text, resource)
            yield Violation(
                "PD1305",
                "",
                f"{text(more)} more {resource} asked, but non-preemptible pods of quota '{quota}' "
                f"have {text(held)}, and together they get no more than its min "
                f"{text(low[resource])}",
                "Ask for less, or have min raised",
                kind="forbidden",
            )


def _runtimes(
    asked: Resources, path: tuple[str, ...], forest: Forest, published: Mapping[str, Figures]
) -> Runtimes:
    """Of the path and the siblings beside it; what stands below those is in their request."""
    whole = forest.trees[forest.tree_of[path[0]]]
    levels = [whole.children[above] for above in reversed(path[1:])]
    order = (whole.root, *(name for level in levels for name in level))
    children = {name: whole.children[name] if name in path[1:] else () for name in order}
    found = Runtimes(Tree(whole.id, whole.root, order, children, whole.guarantees_use), forest)
    for name in order:
        request = published.get(name, _NOTHING).request
        for child in children[name]:
            below = published.get(child, _NOTHING).request
            request = resources.subtract(request, resources.cut(below, forest.quotas[child].max))
        more = asked if name == path[0] else EMPTY
        found.ask(name, resources.positive(resources.add(request, more)))
    if whole.guarantees_use:
        _hold(found, path, order, whole, forest, published)
    total = published[whole.root].runtime if whole.root in published else None
    counted = found.runtime(whole.root)
    found.offer(dict.fromkeys(counted, _BOUNDLESS) if total is None else total)
    found.settle()
    return found


def _hold(
    found: Runtimes,
    path: tuple[str, ...],
    order: tuple[str, ...],
    whole: Tree,
    forest: Forest,
    published: Mapping[str, Figures],
) -> None:
    """Where use is guaranteed, what runs below a sibling is part of the sibling's floor."""
    used_by = {name: figures.used for name, figures in published.items()}
    counted = found.runtime(whole.root)
    holdings = {resource: Holdings(resource, whole, forest, used_by) for resource in counted}
    for name in order:
        found.hold(
            name,
            {
                resource: (held.own if name in path[1:] else held.allocated)[name]
                for resource, held in holdings.items()
            },
        )
