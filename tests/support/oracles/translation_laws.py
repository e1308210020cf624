"""What must be so for every translation of foreign objects."""

import copy
import random
from collections.abc import Callable, Collection
from typing import Any, Final

import translations
from elasticquota.integrations.translation.translation import Translation


Objects = list[Any]
_IN_ORDER: Final = ("flavors", "placementrules", "limits")
"""Lists whose order means something."""


def shuffled(value: Any, dice: random.Random) -> Any:
    """The same with every list in another order, except lists whose order means something."""
    if isinstance(value, dict):
        return {
            key: copy.deepcopy(inner) if key in _IN_ORDER else shuffled(inner, dice)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [shuffled(inner, dice) for inner in dice.sample(value, len(value))]
    return value


def meaning(found: Translation) -> tuple[Any, ...]:
    """Everything except the places in the document."""
    said = sorted((warning.source, warning.text) for warning in found.warnings)
    return (found.quotas, dict(found.origins), said)


def order_decides_nothing(
    translate: Callable[..., Translation], objects: Objects, dice: random.Random
) -> None:
    before = copy.deepcopy(objects)
    found = translate(*objects)
    assert objects == before
    assert meaning(translate(*shuffled(objects, dice))) == meaning(found)


def what_comes_out_is_good(found: Translation, spaces: Collection[str] = ()) -> None:
    called = [quota.name for quota in found.quotas]
    assert len({*called}) == len(called)
    assert {*called, *found.waiting} == set(found.origins)
    assert found.waiting.isdisjoint(called)
    assert all(0 < len(name) <= 63 and "--" not in name for name in called)
    assert translations.read_back(found) == found.quotas
    assert translations.refusals(found, spaces) == []
    assert translations.not_accepted(found) == []
    assert all("\n" not in line for line in translations.lines(found))
