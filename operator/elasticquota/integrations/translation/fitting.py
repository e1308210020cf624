"""Fits limits to our rules with the smallest change, and adds a warning for each change.

* An amount that no Kubernetes quantity can hold is cut to the largest possible one.
* EQ1002: min is cut to max, and max names every resource that min names.
* EQ1103: the max of a parent names every resource that its children's max names. A resource that
  the external system leaves out is unlimited, so it gets the number that stands for no limit. This
  does not concern the number of jobs, which any quota may limit for itself.
* EQ1104: the min of a parent is raised to the sum of its children's. If its own max is below the
  sum, the children's mins are lowered in proportion.

The first level of a tree may guarantee any amount; there the sharing scales (semantics 4).
"""

from collections.abc import Sequence
from typing import Final

from elasticquota import names, pool_keys, quantity, resources
from elasticquota.integrations.translation.translation import Draft, TranslationWarning
from elasticquota.resources import Resources


_LARGEST: Final = 2**63 - 1


def covering(draft: Draft, promised: Resources, warnings: list[TranslationWarning]) -> Draft:
    """The draft with ``promised``, the sum of its children's min, as min, and in its max."""
    limit = {key: max(amount, promised.get(key, 0)) for key, amount in draft.max.items()}
    changes = [("min", key, amount, promised.get(key, 0)) for key, amount in draft.min.items()]
    changes += [("max", key, amount, limit[key]) for key, amount in draft.max.items()]
    for side, key, before, after in changes:
        if before != after:
            text = (
                f"{'raised' if before < after else 'lowered'} from {quantity.text(key, before)} "
                f"to {quantity.text(key, after)}, the sum of the min of its children"
            )
            warnings.append(draft.warning(f"{side}.{key}", text))
    return draft._replace(min=promised, max=limit)


def held(draft: Draft, warnings: list[TranslationWarning]) -> Draft:
    """The draft with amounts cut to what a quantity can hold."""
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
    return {
        key: _LARGEST * 1000 if pool_keys.resource(key) == names.CPU else _LARGEST
        for key in amounts
    }


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
    """The min that a draft asks for: its own or its children's sum, cut to its max."""
    if not children:
        return own
    wanted = resources.maximum(own, resources.add(*children))
    limit = resources.minimum(draft.max, _largest(wanted))
    return resources.positive(resources.cut(wanted, limit))


def shares(promised: Resources, children: Sequence[Resources]) -> Sequence[Resources]:
    """The min that each child gets, from what it asks for and the parent's min ``promised``."""
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
    """Add a warning for each resource whose min ``own`` was changed to ``fitted``."""
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
    """The max of a draft, completed with all resources in its min and in its children's max.

    An empty max needs none: everything is unlimited.
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
    return {
        **draft.max,
        **{key: max(resources.unlimited(key), amount) for key, amount in most.items()},
    }


def _shared(amounts: Resources) -> Resources:
    return {key: amount for key, amount in amounts.items() if key != names.MAX_JOBS}
