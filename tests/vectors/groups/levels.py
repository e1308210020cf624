"""One level of siblings: redistribution, scaled guarantees, limited requests, the pictures."""

from collections.abc import Iterator, Mapping

from elasticquota import names, resources
from tests.vectors import figures, ideal, product, reading
from tests.vectors.figures import Figure
from tests.vectors.groups import trees
from tests.vectors.ideal import Claim
from tests.vectors.reading import Fields, Row


def redistribution(row: Row, fields: Fields) -> Iterator[Figure]:
    """Siblings of one resource in bare integers."""
    fields.said("resource")
    yield from _siblings(fields, rounded=True)
    if "asserted" in fields:
        asserted = fields.part("asserted")
        found = _shares(fields, fields["total"])
        floors = {node["name"]: max(node["min"], node["guarantee"]) for node in fields["nodes"]}
        asked = {node["name"]: node["request"] for node in fields["nodes"]}
        for name, expected in asserted.pairs().items():
            if name == "sum_runtime":
                yield Figure("asserted sum_runtime", sum(found.values()), expected)
            elif name == "each_borrower_at_least_its_min":
                kept = all(found[name] >= min(floors[name], asked[name]) for name in found)
                yield Figure("asserted each_borrower_at_least_its_min", kept, expected)
            elif name in found:
                yield Figure(f"asserted {name}", found[name], expected)
            else:
                raise reading.ReadingError(f"{asserted.where}.{name} is nothing to assert")


def proposal_images(row: Row, fields: Fields) -> Iterator[Figure]:
    """Published worked examples, exact to the unit; ``used`` only says what follows."""
    if "nodes" in fields:
        fields.said("used")
        yield from _siblings(fields, rounded=False)
        stages = fields.part("stages").pairs() if "stages" in fields else {}
        for stage, expected in stages.items():
            # The product has no rounds: a stage is what it shares while only so much is there.
            yield Figure(f"stages {stage}", _shares(fields, sum(expected.values())), expected)
        return
    quotas, own = [], {}
    for part in fields.parts("quotas"):
        quota = product.make_quota(
            part["name"],
            parent=part["parent"],
            min={names.PODS: part["min"]},
            max={names.PODS: part["max"]},
            is_parent=any(other["parent"] == part["name"] for other in fields["quotas"]),
        )
        quotas.append(quota)
        own[quota.name] = {names.PODS: part.get("request", 0)}
    found = product.tree(quotas, {names.PODS: fields["total"]}, own, {})
    for name, expected in fields["expected_request"].items():
        yield Figure(f"request {name}", found.request[name][names.PODS], expected)
    for name, expected in fields["expected_runtime"].items():
        yield Figure(f"runtime {name}", found.runtime[name][names.PODS], expected)


def limited_request(row: Row, fields: Fields) -> Iterator[Figure]:
    """What a quota asks its parent for; sums that never fall below 0; runtime of named keys."""
    if "raw_runtime" in fields:
        found = resources.masked(fields.amounts("raw_runtime"), fields.amounts("max"))
        yield Figure("masked_runtime", found, fields.amounts("expected_masked_runtime"))
    elif "delta" in fields:
        asked = resources.add(fields.amounts("request"), fields.amounts("delta"))
        yield from figures.of_amounts(
            "request", product.request(asked), fields.amounts("expected_request")
        )
    else:
        limited = product.limited_request(fields.amounts("max"), fields.amounts("request"))
        yield Figure("limited_request", limited, fields.amounts("expected"))


def scale_min(row: Row, fields: Fields) -> Iterator[Figure]:
    """The effective min of one child; null leaves its min as it was."""
    fields.said("parent")
    mins = {}
    for child in fields.parts("children"):
        child.said("scalable")
        mins[child["name"]] = child.amounts("min")
    own = mins.get(fields["child"])
    if own is None:
        yield Figure("min", None, fields["expected"])
        return
    untouched = fields["expected"] is None
    expected = own if untouched else fields.amounts("expected")
    for resource, total in fields.amounts("total").items():
        scaled = product.scaled_min(
            total, {name: amounts.get(resource, 0) for name, amounts in mins.items()}
        )
        found = scaled[fields["child"]]
        yield Figure(f"min {resource}", found, expected.get(resource, 0), rounded=True)


def _siblings(fields: Fields, *, rounded: bool) -> Iterator[Figure]:
    found = _shares(fields, fields["total"])
    for name, expected in fields["expected_runtime"].items():
        yield Figure(f"runtime {name}", found[name], expected, rounded)
    yield from trees.ideal_shares("", fields["total"], _claims(fields), found)


def _shares(fields: Fields, total: int) -> Mapping[str, int]:
    claims = _claims(fields)
    return dict(zip(claims, product.share(total, [*claims.values()]), strict=True))


def _claims(fields: Fields) -> dict[str, Claim]:
    claims = {}
    for node in fields.parts("nodes"):
        floor = max(node["min"], node["guarantee"])
        asked = node["request"] if node["allow_lent"] else max(node["request"], floor)
        claims[node["name"]] = ideal.Claim(min(asked, floor), asked, node["shared_weight"], floor)
    return claims


TABLES = {
    ("redistribution", "vectors"): redistribution,
    ("proposal_images", "vectors"): proposal_images,
    ("limited_request", "vectors"): limited_request,
    ("scale_min", "vectors"): scale_min,
}
