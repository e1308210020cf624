"""Koordinator's gate EnableQuotaAdmission: the most that a quota takes at creation."""

from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.quota import Figures, Quota
from elasticquota.structs import replace
from elasticquota.validation import creation_limit


TEAM = Quota(
    Key("teams", "team"), uid="1", created="2026-01-01T00:00:00Z", max={"cpu": 8000, "memory": 100}
)
POD = Pod(Key("teams", "p"), uid="p", created="", request={"cpu": 2000, "gpu": 9})
ASKED = Figures(request={"cpu": 7000}, used={}, runtime={}, admitted={}, non_preemptible={})


def excess(quota: Quota = TEAM, asked: Figures | None = ASKED, pod: Pod = POD) -> str:
    return creation_limit.excess(pod, quota.name, acceptance.build([quota]), asked)


def test_a_pod_beyond_max_is_refused_with_the_figures() -> None:
    assert excess() == (
        "quota 'team' accepts no more pods: this one needs 2 cpu, and those that exist ask for 7 "
        "of its limit of 8. Wait until some of them end, or have the limit raised. "
        "More: kubectl elastic-quota explain quota team"
    )
    assert excess(pod=replace(POD, request={"cpu": 1000})) == ""


def test_the_annotation_replaces_max_as_a_whole() -> None:
    assert f"of the 3 that annotation {names.ADMISSION} allows" in excess(
        replace(TEAM, admission={"cpu": 3000})
    )
    assert excess(replace(TEAM, admission={"cpu": 20_000})) == ""
    assert excess(replace(TEAM, admission={"memory": 1})) == "", "cpu is not limited then"


def test_what_the_limit_does_not_name_and_what_is_not_asked_for_is_not_compared() -> None:
    assert excess(replace(TEAM, max={"memory": 1})) == ""
    assert excess(replace(TEAM, max={})) == ""


def test_without_figures_only_the_pod_itself_counts() -> None:
    assert excess(asked=None) == ""
    assert "this one needs 9 cpu, and" in excess(
        asked=None, pod=replace(POD, request={"cpu": 9000})
    )


def test_reserved_and_observed_quotas_and_pods_without_one_are_free() -> None:
    default = replace(TEAM, key=Key("teams", names.DEFAULT_QUOTA))
    assert excess(default) == ""
    assert creation_limit.excess(POD, "", acceptance.build([TEAM]), None) == ""
    root = replace(TEAM, key=Key("a", names.ROOT_QUOTA), observes=True, max={}, parent="")
    assert creation_limit.excess(POD, "team", acceptance.build([TEAM, root]), ASKED) == ""
