"""Law: what ``import`` prints says the numbers of the objects, and the engine keeps to them.

A tree of teams is drawn, written as objects of each system, imported, printed and read back. Each
quota has the min, the max, the weight and the parent of its team. With pods that wait in each
team, a team may use what it is guaranteed, and never more than its max.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ledger_snapshots
import translations
from elasticquota import names
from elasticquota.integrations.translation.translation import Translation
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota.model.node import Node
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Quota


CREATED: Final = "2026-01-01T00:00:00Z"
CPUS: Final = 40
_KUEUE: Final = "kueue.x-k8s.io/v1beta2"


class Team(NamedTuple):
    """A queue, with whole cpus."""

    name: str
    parent: str
    """Empty: none."""
    is_parent: bool
    min: int
    """Of a parent: at least the sum of its children's."""
    max: int | None
    """None: unlimited."""
    weight: int


Teams = list[Team]


@st.composite
def teams(draw: st.DrawFn) -> Teams:
    """A tree of teams, parents first; all parents have children."""
    found: Teams = []
    parents = draw(st.integers(0, 3))
    above = [""]
    for number in range(parents):
        above.append(f"p{number}")
        parent = draw(st.sampled_from(above[:-1]))
        found.append(Team(f"p{number}", parent, True, 0, None, draw(st.integers(1, 4))))
    for number in range(draw(st.integers(1, 4)) + parents):
        # The first leaves are below the parents, so that none is without children.
        parent = above[number + 1] if number < parents else draw(st.sampled_from(above))
        low = draw(st.integers(0, 9))
        high = draw(st.none() | st.integers(low, 20))
        found.append(Team(f"t{number}", parent, False, low, high, draw(st.integers(1, 4))))
    return _summed(found, draw(st.integers(0, 3)))


def _summed(found: Teams, more: int) -> Teams:
    for team in reversed(found[:]):
        if team.is_parent:
            place = next(at for at, each in enumerate(found) if each.name == team.name)
            below = sum(each.min for each in found if each.parent == team.name)
            found[place] = team._replace(min=below + more)
    return found


def kueue(found: Teams) -> list[Any]:
    objects: list[Any] = []
    for team in found:
        below = sum(each.min for each in found if each.parent == team.name)
        quota: dict[str, Any] = {"name": "cpu", "nominalQuota": team.min - below}
        if team.max is not None and team.parent:
            quota["borrowingLimit"] = team.max - team.min
        spec: dict[str, Any] = {
            "fairSharing": {"weight": team.weight},
            "resourceGroups": [
                {"coveredResources": ["cpu"], "flavors": [{"name": "f", "resources": [quota]}]}
            ],
        }
        if team.parent:
            spec["parentName" if team.is_parent else "cohortName"] = team.parent
        kind = "Cohort" if team.is_parent else "ClusterQueue"
        objects.append(_object(_KUEUE, kind, team.name, spec))
        if not team.is_parent:
            queue = {"clusterQueue": team.name}
            objects.append(_object(_KUEUE, "LocalQueue", "default", queue, team.name))
    return objects


def volcano(found: Teams) -> list[Any]:
    objects = []
    for team in found:
        spec: dict[str, Any] = {"parent": team.parent or "root", "deserved": {"cpu": team.min}}
        if team.max is not None:
            spec["capability"] = {"cpu": team.max}
        api = "scheduling.volcano.sh/v1beta1"
        objects.append(_object(api, "Queue", team.name, spec))
    return objects


def kai(found: Teams) -> list[Any]:
    objects = []
    for team in found:
        limit = -1 if team.max is None else team.max * 1000
        cpu = {"quota": team.min * 1000, "limit": limit, "overQuotaWeight": team.weight}
        spec = {"parentQueue": team.parent, "resources": {"cpu": cpu}}
        objects.append(_object("scheduling.run.ai/v2", "Queue", team.name, spec))
    return objects


def hnc(found: Teams) -> list[Any]:
    objects = []
    for team in found:
        hard = {} if team.max is None else {"requests.cpu": team.max}
        pods = {"pods": 1000}
        spec = {"hard": {**hard, **pods}}
        api = "hnc.x-k8s.io/v1alpha2"
        objects.append(_object(api, "HierarchicalResourceQuota", "q", spec, team.name))
        if team.parent:
            parent = {"parent": team.parent}
            objects.append(_object(api, "HierarchyConfiguration", "hierarchy", parent, team.name))
    return objects


def _object(api: str, kind: str, name: str, spec: Any, namespace: str = "") -> Any:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec}


class ExternalSystem(NamedTuple):
    """How a system writes teams, and what of them it can say."""

    written: Callable[[Teams], list[Any]]
    translate: Callable[..., Translation]
    has_min: bool = True
    has_weight: bool = False


SYSTEMS: Final = {
    "kueue": ExternalSystem(kueue, translations.of_kueue, has_weight=True),
    "volcano": ExternalSystem(volcano, translations.of_volcano),
    "kai": ExternalSystem(kai, translations.of_kai, has_weight=True),
    "hnc": ExternalSystem(hnc, translations.of_hnc, has_min=False),
}


def stated_max(system: str, team: Team, found: Teams) -> int | None:
    """The max in cpus that the objects of the system state for the team."""
    if system != "kueue":
        return team.max
    by_name = {each.name: each for each in found}
    first = team
    while first.parent:
        first = by_name[first.parent]
    if first is team:
        return team.min
    return first.min if team.max is None else team.max


def read_back(system: str, found: Teams) -> dict[str, Quota]:
    made = SYSTEMS[system].translate(*SYSTEMS[system].written(found))
    teams_of = {name: origin.partition(":")[2] for name, origin in made.origins.items()}
    # The origin of a leaf for the own pods of a namespace ends with a slash.
    return {
        teams_of[quota.name].rpartition("/")[2]: quota
        for quota in translations.read_back(made)
        if not teams_of[quota.name].endswith("/")
    }


@pytest.mark.parametrize("system", SYSTEMS)
@given(found=teams())
def test_each_quota_says_the_numbers_of_its_object(system: str, found: Teams) -> None:
    quotas = read_back(system, found)
    for team in found:
        quota = quotas[team.name]
        # A namespace with children is the parent of its own pods, too, so it has another name.
        above = f"{team.parent}-tree" if system == "hnc" else team.parent
        assert quota.parent == (above if team.parent else names.ROOT_QUOTA)
        assert quota.min.get("cpu", 0) == (team.min * 1000 if SYSTEMS[system].has_min else 0)
        high = stated_max(system, team, found)
        if high is not None:
            assert quota.max["cpu"] == high * 1000
        else:
            assert quota.max.get("cpu", 2**60) >= 2**60
    if SYSTEMS[system].has_weight:
        weights_are_those_of_the_objects(found, quotas)


def weights_are_those_of_the_objects(found: Teams, quotas: Mapping[str, Quota]) -> None:
    for team in found:
        weight = quotas[team.name].shared_weight
        if team.parent:
            assert weight is not None
            assert weight["cpu"] == team.weight * 1000


@pytest.mark.parametrize("system", SYSTEMS)
@given(found=teams(), asked=st.integers(0, 12))
def test_each_team_may_use_what_its_object_guarantees_and_no_more_than_it_allows(
    system: str, found: Teams, asked: int
) -> None:
    quotas = read_back(system, found)
    ledger = Ledger()
    total = max(CPUS, sum(team.min for team in found if not team.parent)) * 1000
    ledger.upsert_node(Node("node", CREATED, {}, {"cpu": total, names.PODS: 1100}))
    for quota in translations.aged(list(quotas.values())):
        ledger.upsert_quota(quota)
    for team in _leaves(found):
        for number in range(asked):
            name = f"{team.name}-{number}"
            request = {"cpu": 1000, names.PODS: 1}
            key = Key(team.name, name)
            ledger.upsert_pod(Pod(key, name, CREATED, team.name, request, gates=(names.GATE,)))
    runtime = ledger_snapshots.picture(ledger)["books"][names.DEFAULT_TREE]["runtime"]
    for team in _leaves(found):
        high = stated_max(system, team, found)
        most = asked if high is None else min(asked, high)
        low = min(team.min, most) if SYSTEMS[system].has_min else 0
        # A resource that no quota names has no runtime: it is not limited.
        may_use = runtime[team.name].get("cpu", most * 1000)
        assert low * 1000 <= may_use <= most * 1000


def _leaves(found: Teams) -> list[Team]:
    return [team for team in found if not team.is_parent]
