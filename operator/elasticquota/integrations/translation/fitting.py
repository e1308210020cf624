"""Limits are changed as little as our rules ask for, and each change is told.

* What no quantity of Kubernetes can hold is cut to the largest that it can.
* EQ1002: min is cut to max, and max names what min names.
* EQ1103: the max of a parent names what its children's max name. What a neighbour leaves out is
  unlimited, so it is named with the number that stands for no limit. Not the number of jobs, which
  any quota may limit for itself.
* EQ1104: the min of a parent is raised to the sum of its children's. What its own max does not
  let it promise is taken from the children, in proportion.

The first level of a tree may promise anything; there the sharing scales (semantics 4).
"""

from collections.abc import Sequence
from typing import Final

from elasticquota import names, quantity, resources
from elasticquota.integrations.translation.translation import Draft, TranslationWarning
from elasticquota.resources import Resources


_UNITS: Final = 4_611_686_018_427_387
_LARGEST: Final = 2**63 - 1


def unlimited(resource: str) -> int:
    """What stands for no limit, as in the max of root quotas (K 3.5)."""
    return _UNITS * 1000 if resource == names.CPU else _UNITS


def held(draft: Draft, warnings: list[TranslationWarning]) -> Draft:
    """The draft with what a quantity holds."""
    if max((*draft.min.values(), *draft.max.values()), default=0) <= _LARGEST:
        return draft
    text = f"is more than a quantity holds; cut to {_LARGEST}"
    for side, amounts in (("min", draft.min), ("max", draft.max)):
        too_large = resources.exceeding(amounts, _largest(amounts))
        warnings.extend(draft.warning(f"{side}.{key}", text) for key in too_large)
    return draft._replace(
        min=resources.cut(draft.min, _largest(draft.min)),
        max=resources.cut(draft.max, _largest(draft.max)),
    )


def _largest(amounts: Resources) -> Resources:
    return {key: _LARGEST * 1000 if key == names.CPU else _LARGEST for key in amounts}


def within_max(draft: Draft, warnings: list[TranslationWarning]) -> Resources:
    """The min of a draft, cut to its max."""
    if resources.fits(draft.min, draft.max):
        return resources.positive(draft.min)
    for key in resources.exceeding(draft.min, draft.max):
        text = (
            f"{quantity.text(key, draft.min[key])} is above "
            f"{quantity.text(key, draft.max[key])}, the max; cut to it"
        )
        warnings.append(draft.warning(f"min.{key}", text))
    return resources.positive(resources.cut(draft.min, draft.max))


def asked(draft: Draft, own: Resources, children: Sequence[Resources]) -> Resources:
    """What a draft with this min asks for, whose children ask for that: its max may be less."""
    if not children:
        return own
    wanted = resources.maximum(own, resources.add(*children))
    limit = resources.minimum(draft.max, _largest(wanted))
    return resources.positive(resources.cut(wanted, limit))


def shares(promised: Resources, children: Sequence[Resources]) -> Sequence[Resources]:
    """What each of the children, who ask for this, is promised where their parent is."""
    found = list(children)
    for key, total in resources.add(*children).items():
        most = promised.get(key, 0)
        if total > most:
            found = [
                resources.positive({**each, key: each.get(key, 0) * most // total})
                for each in found
            ]
    return found


def tell_of_min(
    draft: Draft, own: Resources, fitted: Resources, warnings: list[TranslationWarning]
) -> None:
    """What became of its own min, where that is another one now."""
    if own == fitted:
        return
    for key in sorted(own.keys() | fitted.keys()):
        before, after = own.get(key, 0), fitted.get(key, 0)
        figures = f"from {quantity.text(key, before)} to {quantity.text(key, after)}"
        if after > before:
            text = f"raised {figures}, the sum of the min of its children"
        elif after < before:
            text = f"lowered {figures}, because what is above it promises no more"
        else:
            continue
        warnings.append(draft.warning(f"min.{key}", text))


def complete(
    draft: Draft,
    promised: Resources,
    children: Sequence[Resources],
    warnings: list[TranslationWarning],
) -> Resources:
    """The max with all that its promise and its children's max name.

    Without any max everything is unlimited anyway.
    """
    if not draft.max or set(promised).union(*children) <= draft.max.keys():
        return draft.max
    named = [promised, *map(_shared, children)]
    missing = sorted(set().union(*named) - draft.max.keys())
    if not missing:
        return draft.max
    text = (
        f"leaves {', '.join(missing)} unlimited; named here with the number that stands for "
        "no limit"
    )
    warnings.append(draft.warning("max", text))
    most = {key: max(amounts.get(key, 0) for amounts in named) for key in missing}
    return {**draft.max, **{key: max(unlimited(key), amount) for key, amount in most.items()}}


def _shared(amounts: Resources) -> Resources:
    return {key: amount for key, amount in amounts.items() if key != names.MAX_JOBS}
