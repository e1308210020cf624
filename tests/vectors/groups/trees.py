"""Whole trees, recomputed at once."""

from collections.abc import Iterator, Mapping

from elasticquota import names
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.resources import EMPTY, Resources
from tests.vectors import figures, ideal, product, reading
from tests.vectors.figures import Figure
from tests.vectors.ideal import Claim
from tests.vectors.product import TreeFigures
from tests.vectors.reading import Fields, Row


_PLAIN = (
    *("request", "child_request", "limited_request", "self_request", "used"),
    *("allocated", "guaranteed"),
)


def tree(row: Row, fields: Fields) -> Iterator[Figure]:
    """Requests, use and runtimes of the quotas of one tree."""
    options = fields.part("options")
    # Scaling is no switch here: guarantees that do not fit always shrink.
    options.said("scale_min")
    quotas = [_quota(age, part) for age, part in enumerate(fields.parts("quotas"))]
    own = {name: reading.amounts(each, name) for name, each in fields["self_request"].items()}
    used = {name: reading.amounts(each, name) for name, each in fields.get("self_used", {}).items()}
    total = fields.amounts("total")
    found = product.tree(quotas, total, own, used, guarantees_use=options["guarantee_usage"])
    for name, expected in fields.by_name("expected").items():
        for what in _PLAIN:
            of_quota = getattr(found, what).get(name, EMPTY)
            yield from figures.of_amounts(f"{what} {name}", of_quota, expected.amounts(what))
        runtime = expected.amounts("runtime")
        yield from figures.of_amounts(f"runtime {name}", found.runtime[name], runtime, rounded=True)
        yield from _scaled_min(name, expected.amounts("auto_scale_min"), quotas, found)
    yield from _levels(quotas, found)


def ideal_shares(
    where: str, total: int, claims: Mapping[str, Claim], found: Mapping[str, int]
) -> Iterator[Figure]:
    """Every share is within two units of the ideal one, and nothing is lost or invented."""
    shares = dict(zip(claims, ideal.share(total, [*claims.values()]), strict=True))
    for name, share in shares.items():
        yield Figure(f"near the ideal share{where} {name}", abs(found[name] - share) < 2, True)
    yield Figure(f"sum{where}", sum(found.values()), sum(shares.values()))


def _levels(quotas: list[Quota], found: TreeFigures) -> Iterator[Figure]:
    """Every level of the tree against the ideal one; the tree's own weights only."""
    by_name = {quota.name: quota for quota in quotas}
    for parent, children in found.children.items():
        named = [by_name[name] for name in children if name in by_name]
        if not named or found.self_request.get(parent):
            continue
        for resource, total in found.runtime[parent].items():
            if not all((child.shared_weight or EMPTY).get(resource) for child in named):
                continue
            claims = {child.name: _claim(child, resource, found) for child in named}
            shares = {child.name: found.runtime[child.name][resource] for child in named}
            yield from ideal_shares(f" {resource} below {parent}", total, claims, shares)


def _claim(quota: Quota, resource: str, found: TreeFigures) -> Claim:
    asked = found.limited_request[quota.name].get(resource, 0)
    floor = quota.min.get(resource, 0)
    return Claim(min(asked, floor), asked, (quota.shared_weight or EMPTY)[resource], floor)


def _scaled_min(
    name: str, expected: Resources, quotas: list[Quota], found: TreeFigures
) -> Iterator[Figure]:
    if not expected:
        return
    parent = next(quota.parent for quota in quotas if quota.name == name)
    siblings = [quota for quota in quotas if quota.parent == parent]
    for resource, amount in expected.items():
        scaled = product.scaled_min(
            found.runtime[parent].get(resource, 0),
            {quota.name: quota.min.get(resource, 0) for quota in siblings},
        )
        yield Figure(f"auto_scale_min {name} {resource}", scaled[name], amount, rounded=True)


def _quota(age: int, part: Fields) -> Quota:
    return Quota(
        key=Key("ns", part["name"]),
        uid=f"{age:04}",
        created="",
        parent=part.get("parent") or names.ROOT_QUOTA,
        is_parent=part["is_parent"],
        min=part.amounts("min"),
        max=part.amounts("max"),
        shared_weight=part.amounts("shared_weight"),
        allow_lent=part["allow_lent"],
    )


TABLES = {("tree", "vectors"): tree}
