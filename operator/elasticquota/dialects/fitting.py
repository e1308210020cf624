"""Limits are changed as little as our rules ask for, and each change is told.

* What no quantity of Kubernetes can hold is cut to the largest that it can.
* EQ1002: min is cut to max, and max names what min names.
* EQ1103: the max of a parent names what its children's max name. What a neighbour leaves out is
  unlimited, so it is named with the number that stands for no limit.
* EQ1104: the min of a parent is raised to the sum of its children's. What its own max does not
  let it promise is taken from the children, in proportion.

The first level of a tree may promise anything; there the sharing scales (semantics 4).
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from elasticquota import names, quantity, resources
from elasticquota.dialects.translation import Draft, Path, Remark
from elasticquota.resources import Resources


_UNITS: Final = 4_611_686_018_427_387
_LARGEST: Final = 2**63 - 1


def unlimited(resource: str) -> int:
    """What stands for no limit, as in the max of root quotas (K 3.5)."""
    return _UNITS * 1000 if resource == names.CPU else _UNITS


def fit(
    drafts: Mapping[Path, Draft], remarks: list[Remark]
) -> dict[Path, tuple[Resources, Resources]]:
    """The min and max of every draft; parents are among the drafts, or there are none."""
    top_down = sorted(drafts, key=lambda path: (len(path), path))
    below: dict[Path, list[Path]] = {path: [] for path in top_down}
    for path in top_down:
        if path[:-1] in below:
            below[path[:-1]].append(path)
    drafts = {path: _held(draft, remarks) for path, draft in drafts.items()}
    own = {path: _within_max(draft, remarks) for path, draft in drafts.items()}
    mins = _promises(drafts, own, below, top_down)
    maxes: dict[Path, dict[str, int]] = {}
    for path in reversed(top_down):
        below_it = [mins[path], *(maxes[child] for child in below[path])]
        maxes[path] = _complete(drafts[path], below_it, remarks)
    for path, draft in drafts.items():
        _tell_of_min(draft, own[path], mins[path], remarks)
    return {path: (mins[path], maxes[path]) for path in top_down}


def _held(draft: Draft, remarks: list[Remark]) -> Draft:
    limits = {"min": draft.min, "max": draft.max}
    beyond = [
        (side, key)
        for side, amounts in limits.items()
        for key in resources.exceeding(amounts, _largest(amounts))
    ]
    if not beyond:
        return draft
    text = f"is more than a quantity holds; cut to {_LARGEST}"
    remarks.extend(draft.remark(f"{side}.{key}", text) for side, key in beyond)
    cut = {side: resources.cut(amounts, _largest(amounts)) for side, amounts in limits.items()}
    return replace(draft, min=cut["min"], max=cut["max"])


def _largest(amounts: Resources) -> Resources:
    return {key: _LARGEST * 1000 if key == names.CPU else _LARGEST for key in amounts}


def _within_max(draft: Draft, remarks: list[Remark]) -> dict[str, int]:
    for key in resources.exceeding(draft.min, draft.max):
        text = (
            f"{quantity.text(key, draft.min[key])} is above "
            f"{quantity.text(key, draft.max[key])}, the max; cut to it"
        )
        remarks.append(draft.remark(f"min.{key}", text))
    return resources.positive(resources.cut(draft.min, draft.max))


def _promises(
    drafts: Mapping[Path, Draft],
    own: Mapping[Path, Resources],
    below: Mapping[Path, list[Path]],
    top_down: list[Path],
) -> dict[Path, dict[str, int]]:
    """What each promises, such that no parent promises less than its children together."""
    asked: dict[Path, dict[str, int]] = {}
    for path in reversed(top_down):
        children = resources.add(*(asked[child] for child in below[path]))
        wanted = resources.maximum(own[path], children)
        limit = resources.minimum(drafts[path].max, _largest(wanted))
        asked[path] = resources.cut(wanted, limit)
    for path in top_down:
        wanted = resources.add(*(asked[child] for child in below[path]))
        for key, total in wanted.items():
            promised = asked[path].get(key, 0)
            if total > promised:
                for child in below[path]:
                    share = asked[child].get(key, 0) * promised // total
                    asked[child] = resources.positive({**asked[child], key: share})
    return {path: resources.positive(amounts) for path, amounts in asked.items()}


def _tell_of_min(draft: Draft, own: Resources, fitted: Resources, remarks: list[Remark]) -> None:
    for key in sorted(own.keys() | fitted.keys()):
        before, after = own.get(key, 0), fitted.get(key, 0)
        figures = f"from {quantity.text(key, before)} to {quantity.text(key, after)}"
        if after > before:
            text = f"raised {figures}, the sum of the min of its children"
        elif after < before:
            text = f"lowered {figures}, because what is above it promises no more"
        else:
            continue
        remarks.append(draft.remark(f"min.{key}", text))


def _complete(draft: Draft, below_it: Iterable[Resources], remarks: list[Remark]) -> dict[str, int]:
    """Without any max everything is unlimited anyway."""
    highest: dict[str, int] = {}
    for amounts in below_it:
        highest = resources.maximum(highest, amounts)
    missing = sorted(highest.keys() - draft.max.keys()) if draft.max else []
    if missing:
        text = (
            f"leaves {', '.join(missing)} unlimited; named here with the number that stands for "
            "no limit"
        )
        remarks.append(draft.remark("max", text))
    return {**draft.max, **{key: max(unlimited(key), highest[key]) for key in missing}}
