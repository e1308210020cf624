"""EQ1003: the shared weight names only resources that max names, where max names any."""

from collections.abc import Iterator

from elasticquota.forest import violation
from elasticquota.forest.violation import Violation
from elasticquota.model.quota import Quota


def check(quota: Quota) -> Iterator[Violation]:
    """Yield the resources that have a weight and no max."""
    if not quota.shared_weight or not quota.max:
        return
    for resource in sorted(quota.shared_weight.keys() - quota.max.keys()):
        yield Violation(
            "EQ1003",
            f"{violation.setting(quota, 'weight')}.{resource}",
            "must also be named in spec.max",
            "Add it there, or leave it out of the weight",
        )
