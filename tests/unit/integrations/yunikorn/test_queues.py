"""YuniKorn's queues and namespaces become quotas (seed 004; Y2-Y8, Y10, Y11, Y13, Y15-Y18)."""

from pathlib import Path
from typing import Any

import pytest

import translations
from elasticquota.integrations.translation.translation import Translation
from elasticquota.integrations.yunikorn import queues as yunikorn_queues
from elasticquota.model.limit import Limit, QuotaLimits
from elasticquota.wire.integrations import queue_namespaces, queues


EXAMPLES = Path(__file__).parents[4] / "examples/import"
TAG = {"name": "tag", "value": "namespace", "create": True}
PROVIDED = {"name": "provided"}
BY_ANNOTATION = {**TAG, "parent": {"name": "tag", "value": "namespace.parentqueue"}}
QUOTA = "yunikorn.apache.org/namespace.quota"
GUARANTEED = "yunikorn.apache.org/namespace.guaranteed"
PARENT = "yunikorn.apache.org/parentqueue"
APPS = "yunikorn.apache.org/namespace.maxApps"
MAX_CPU = "yunikorn.apache.org/namespace.max.cpu"
MAX_MEMORY = "yunikorn.apache.org/namespace.max.memory"


def config(*queues: Any, rules: Any = (), **root: Any) -> Any:
    found = {"name": "root", "queues": list(queues), **root}
    return {"partitions": [{"name": "default", "queues": [found], "placementrules": list(rules)}]}


def queue(name: str, *queues: Any, **more: Any) -> Any:
    return {"name": name, "queues": list(queues), **more}


def space(name: str, annotations: dict[str, str] | None = None) -> Any:
    return {"metadata": {"name": name, "annotations": annotations}}


def resources(guaranteed: Any = None, most: Any = None) -> Any:
    return {"guaranteed": guaranteed, "max": most}


def texts(config: Any, *namespaces: Any) -> list[str]:
    found = translations.of_yunikorn(config, *namespaces)
    return [line for line in translations.lines(found) if "the queue that a pod names" not in line]


def test_seed_004_static_queue_definition_the_three_queues_are_quotas_of_ours() -> None:
    document = translations.decoded((EXAMPLES / "queues.yaml").read_text())[0]
    found = translations.of_yunikorn(document)
    amounts = {
        quota.name: (quota.min["cpu"], quota.min["memory"], quota.max["cpu"], quota.max["memory"])
        for quota in found.quotas
    }
    assert amounts == {
        "root-advertisement": (50_000, 500 * 10**9, 80_000, 800 * 10**9),
        "root-search": (40_000, 400 * 10**9, 60_000, 600 * 10**9),
        "root-sandbox": (10_000, 100 * 10**9, 10_000, 100 * 10**9),
    }
    assert translations.refusals(found) == []
    assert translations.not_accepted(found) == []


def test_seed_004_run_a_workload_it_says_how_pods_name_their_quota() -> None:
    document = translations.decoded((EXAMPLES / "queues.yaml").read_text())[0]
    assert translations.lines(translations.of_yunikorn(document))[0] == (
        "queues.yaml: partitions[0].queues: the queue that a pod names is not read; label the pod "
        "with its quota, by quota.scheduling.koordinator.sh/name, and find that by "
        "elasticquota.dev/source"
    )


def test_seed_004_quota_configuration_the_root_queue_takes_no_limits() -> None:
    document = config(queue("a"), resources=resources(most={"vcore": 5}))
    assert texts(document) == [
        "queues.yaml: partitions[0].queues[0].resources: the root follows what the cluster has; "
        "left out"
    ]


def test_seed_004_queue_quota_children_of_a_parent_of_900_may_have_more_together() -> None:
    parent = queue(
        "parent",
        queue("child1"),
        queue("child2", resources=resources(most={"memory": 750})),
        queue("child3", resources=resources(most={"memory": 750})),
        resources=resources(most={"memory": 900}),
    )
    found = translations.of_yunikorn(config(parent))
    assert translations.limits(found) == {
        "root-parent": ({}, {"memory": "900"}),
        "root-parent-child1": ({}, {}),
        "root-parent-child2": ({}, {"memory": "750"}),
        "root-parent-child3": ({}, {"memory": "750"}),
    }
    assert translations.refusals(found) == []


@pytest.mark.parametrize(
    ("written", "millicores"), [(50, 50_000), ("50", 50_000), ("250m", 250), (0.5, 500)]
)
def test_seed_004_converting_resources_vcore_is_cpu_in_cores(written: Any, millicores: int) -> None:
    found = translations.of_yunikorn(
        config(queue("a", resources=resources(most={"vcore": written})))
    )
    assert found.quotas[0].max == {"cpu": millicores}


def test_seed_004_converting_resources_memory_is_bytes_and_others_are_as_they_are() -> None:
    most = {"memory": "1Gi", "hugepages-1Gi": 1, "nvidia.com/gpu": 2, "pods": 9}
    found = translations.of_yunikorn(config(queue("a", resources=resources(most=most))))
    assert found.quotas[0].max == {
        "memory": 1_073_741_824,
        "hugepages-1Gi": 1,
        "nvidia.com/gpu": 2,
        "pods": 9,
    }


def test_cpu_in_a_queue_limits_nothing_there_and_here() -> None:
    document = config(queue("a", resources=resources(most={"cpu": 5})))
    assert translations.of_yunikorn(document).quotas[0].max == {}
    assert texts(document) == [
        "queues.yaml: partitions[0].queues[0].queues[0].resources.max.cpu: limits nothing in "
        "YuniKorn, which calls it vcore; left out"
    ]


def test_seed_004_namespace_to_queue_mapping_a_namespace_gets_a_quota_with_its_limits() -> None:
    quota = '{"cpu": "64", "memory": "100G", "nvidia.com/gpu": "1"}'
    document = config(rules=[TAG], properties={"application.sort.policy": "stateaware"})
    found = translations.of_yunikorn(document, space("development", {QUOTA: quota}))
    mine = found.quotas[0]
    assert mine.name == "root-development"
    assert mine.namespaces == ("development",)
    assert mine.max == {"cpu": 64_000, "memory": 100 * 10**9, "nvidia.com/gpu": 1}
    assert translations.refusals(found) == []
    assert translations.lines(found) == []


def test_seed_004_namespace_quota_the_deprecated_annotations_count_as_long_as_no_newer_does() -> (
    None
):
    old = {MAX_CPU: "64", MAX_MEMORY: "100Gi"}
    newer = {**old, QUOTA: '{"cpu": "2"}'}
    found = translations.of_yunikorn(config(rules=[TAG]), space("a", old), space("b", newer))
    assert translations.limits(found) == {
        "root-a": ({}, {"cpu": "64", "memory": "100Gi"}),
        "root-b": ({}, {"cpu": "2"}),
    }


def test_seed_004_parent_queue_mapping_namespaces_are_below_the_parent_they_name() -> None:
    document, *spaces = translations.decoded((EXAMPLES / "namespaces-in-queues.yaml").read_text())
    queues = translations.decoded(document["data"]["queues.yaml"])[0]
    found = translations.of_yunikorn(queues, *spaces)
    assert {quota.name: (quota.parent, quota.is_parent) for quota in found.quotas} == {
        "root-production": ("koordinator-root-quota", True),
        "root-development": ("koordinator-root-quota", True),
        "root-production-finance": ("root-production", False),
        "root-production-sales": ("root-production", False),
        "root-development-dev": ("root-development", False),
        "root-development-test": ("root-development", False),
    }
    assert translations.lines(found) == []
    assert translations.refusals(found) == []
    assert translations.not_accepted(found) == []


@pytest.mark.parametrize("parent", ["root.production", "production", " Root.Production "])
def test_seed_004_namespace_parent_queue_the_root_may_be_left_out(parent: str) -> None:
    document = config(queue("production", parent=True), rules=[BY_ANNOTATION])
    found = translations.of_yunikorn(document, space("finance", {PARENT: parent}))
    assert "root-production-finance" in found.origins


@pytest.mark.parametrize(
    ("parent", "why"),
    [("", ""), ("nobody", ""), ("leaf", ": the parent root.leaf holds pods and no queues")],
)
def test_seed_004_parent_queue_mapping_a_parent_must_be_configured(parent: str, why: str) -> None:
    document = config(queue("production", parent=True), queue("leaf"), rules=[BY_ANNOTATION])
    lost = space("lost", {PARENT: parent, QUOTA: "{}"})
    assert texts(document, lost) == [
        "Namespace lost: metadata.annotations: no placement rule finds a queue for the "
        f"namespace{why}; not taken over"
    ]


def test_a_parent_rule_that_creates_makes_the_parent_too() -> None:
    rule = {**TAG, "parent": {"name": "fixed", "value": "tenants.all", "create": True}}
    found = translations.of_yunikorn(config(rules=[rule]), space("a", {QUOTA: "{}"}))
    assert [(quota.name, quota.is_parent) for quota in found.quotas] == [
        ("root-tenants", True),
        ("root-tenants-all", True),
        ("root-tenants-all-a", False),
    ]
    assert translations.refusals(found) == []


def test_without_a_configuration_each_annotated_namespace_has_its_queue() -> None:
    found = translations.of_yunikorn(None, space("a", {QUOTA: '{"cpu": 1}'}), space("b"))
    assert translations.limits(found) == {"root-a": ({}, {"cpu": "1"})}
    assert translations.lines(found) == [
        "queues.yaml: placementrules: namespaces without annotations of YuniKorn get no quota of "
        "their own: b"
    ]


def followed(config: Any, *names: str) -> dict[str, tuple[str, ...]]:
    """The namespaces of each quota where all of them are followed."""
    spaces = [queue_namespaces.QueueNamespace(name) for name in names]
    found = yunikorn_queues.translate(queues.read(config), spaces, every=True)
    assert translations.refusals(found) == []
    return {quota.name: quota.namespaces for quota in found.quotas}


def test_seed_004_namespace_to_queue_mapping_a_followed_namespace_needs_no_annotation() -> None:
    """Submitted to namespace development, an application "will run in the root.development"."""
    assert followed(config(rules=[TAG]), "development") == {"root-development": ("development",)}


def test_a_followed_namespace_that_no_rule_places_has_the_default_queue() -> None:
    document = config(queue("default"), queue("production", parent=True), rules=[BY_ANNOTATION])
    assert followed(document, "a", "b") == {"root-default": ("a", "b"), "root-production": ()}


def test_a_default_queue_that_has_queues_takes_no_namespace() -> None:
    document = config(queue("default", queue("a")), rules=[BY_ANNOTATION])
    assert followed(document, "b") == {"root-default": (), "root-default-a": ()}


def test_a_namespace_of_a_configured_queue_is_bound_to_it() -> None:
    document = config(queue("a", resources=resources(most={"vcore": 4})), rules=[TAG])
    found = translations.of_yunikorn(document, space("a", {QUOTA: '{"cpu": 1}'}))
    assert found.quotas[0].namespaces == ("a",)
    assert translations.limits(found) == {"root-a": ({}, {"cpu": "4"})}
    assert translations.lines(found) == [
        "Namespace a: metadata.annotations: the limits are those of the configured queue root.a; "
        "left out"
    ]


def test_guaranteed_of_a_namespace_is_min_and_the_nearest_template_fills_in() -> None:
    template = {"maxapplications": 3, "resources": resources({"vcore": 1}, {"vcore": 9})}
    production = queue("production", parent=True, childtemplate=template)
    farther = {"maxapplications": 7, "resources": resources({"vcore": 7}, {"vcore": 70})}
    document = config(production, rules=[BY_ANNOTATION], childtemplate=farther)
    found = translations.of_yunikorn(
        document,
        space("a", {PARENT: "production"}),
        space("b", {PARENT: "production", QUOTA: '{"cpu": 4}', GUARANTEED: '{"cpu": 2}'}),
    )
    assert translations.limits(found) == {
        "root-production": ({"cpu": "3"}, {}),
        "root-production-a": ({"cpu": "1"}, {"cpu": "9"}),
        "root-production-b": ({"cpu": "2"}, {"cpu": "4"}),
    }
    assert translations.texts(found) == [
        "raised from 0 to 3, the sum of the min of its children",
    ]
    assert translations.refusals(found) == []


def test_what_the_root_says_of_templates_and_delays_passes_down() -> None:
    document = config(
        queue("a"),
        rules=[TAG],
        childtemplate={"resources": resources(most={"vcore": 9})},
        properties={"preemption.delay": "5s"},
    )
    found = translations.of_yunikorn(document, space("b", {GUARANTEED: '{"cpu": 1}'}))
    assert translations.limits(found) == {
        "root-a": ({}, {}),
        "root-b": ({"cpu": "1"}, {"cpu": "9"}),
    }
    assert [quota.reclaim_grace for quota in found.quotas] == [5_000, 5_000]


def test_rules_that_do_not_go_by_namespace_are_reported() -> None:
    rules = [
        {"name": "provided"},
        {"name": "fixed", "value": "root.a"},
        {**TAG, "filter": {"type": "allow", "users": ["x"]}},
        {**TAG, "parent": {"name": "user"}},
    ]
    assert texts(config(queue("a"), rules=rules)) == [
        f"queues.yaml: partitions[0].placementrules[{line}"
        for line in (
            "0]: the rule 'provided' is not taken over",
            "1]: the rule 'fixed root.a' is not taken over",
            "2]: rules with a filter are not taken over",
            "3]: a parent by the rule 'user' is not taken over",
        )
    ]


def test_a_rule_for_namespaces_asks_for_them() -> None:
    assert texts(config(rules=[TAG])) == [
        "queues.yaml: partitions[0].placementrules[0]: makes queues for namespaces; give the "
        "Namespaces too to have them translated"
    ]


def test_the_preemption_delay_is_the_grace_and_passes_down() -> None:
    delayed = queue(
        "a",
        queue("b"),
        queue("c", properties={"preemption.delay": "5s"}),
        properties={"preemption.delay": "1m30s"},
    )
    found = translations.of_yunikorn(config(delayed))
    assert {quota.name: quota.reclaim_grace for quota in found.quotas} == {
        "root-a": 90_000,
        "root-a-b": 90_000,
        "root-a-c": 5_000,
    }
    assert translations.read_back(found) == found.quotas


def test_what_has_no_counterpart_is_reported_each_time() -> None:
    document = config(
        queue(
            "a",
            adminacl="x",
            colour="blue",
            properties={"preemption.delay": "soon", "priority.offset": 5},
        ),
        submitacl="*",
    )
    document["partitions"][0]["nodesortpolicy"] = {"type": "fair"}
    document["partitions"].append({"name": "gpu"})
    assert texts(document) == [
        f"queues.yaml: partitions[{line}"
        for line in (
            "0].nodesortpolicy: the scheduler chooses nodes; not taken over",
            (
                "0].queues[0].queues[0].adminacl: is checked only where the queues are followed; "
                "list the namespaces of the quota; not taken over"
            ),
            "0].queues[0].queues[0].colour: is no field of a queue; left out",
            (
                "0].queues[0].queues[0].properties.preemption.delay: must be a duration of at most "
                "a day, got 'soon'; left out"
            ),
            (
                "0].queues[0].queues[0].properties.priority.offset: has no effect here, because "
                "priority counts inside a quota only; min and weights decide between quotas"
            ),
            "1].name: one partition counts, and that is default; not taken over",
        )
    ]


def limits_of(found: Translation, name: str) -> QuotaLimits:
    (limits,) = (quota.limits for quota in found.quotas if quota.name == name)
    return limits


def test_limits_of_users_and_groups_are_those_of_the_quota() -> None:
    users = {"users": ["ann"], "maxresources": {"vcore": "500m", "cpu": 9}, "maxapplications": 2}
    groups = {"limit": "the rest", "groups": ["dev", "*"], "maxresources": {"memory": "1G"}}
    found = translations.of_yunikorn(
        config(queue("a", limits=[users, groups], maxapplications=5), rules=[PROVIDED])
    )
    assert limits_of(found, "root-a") == QuotaLimits(
        5,
        (
            Limit(("ann",), (), {"cpu": 500}, 2),
            Limit((), ("dev", "*"), {"memory": 10**9}),
        ),
    )
    told = "limits[0].maxresources.cpu: limits nothing in YuniKorn, which calls it vcore; left out"
    assert any(told in line for line in translations.lines(found))


def test_a_queue_that_is_made_has_as_many_applications_as_the_template_or_the_namespace_says() -> (
    None
):
    production = queue("production", parent=True, childtemplate={"maxapplications": 3})
    found = translations.of_yunikorn(
        config(production, rules=[BY_ANNOTATION]),
        space("a", {PARENT: "production"}),
        space("b", {PARENT: "production", APPS: "7"}),
    )
    assert limits_of(found, "root-production-a") == QuotaLimits(3)
    assert limits_of(found, "root-production-b") == QuotaLimits(7)


LIMITED = [{"users": ["ann"], "maxapplications": 2, "maxresources": {"vcore": 3}}]


@pytest.mark.parametrize("place", ["root", "partition"])
def test_limits_of_the_root_are_those_of_a_quota_above_all_queues(place: str) -> None:
    document = config(
        queue("a", resources=resources({"vcore": 2})), queue("b", queue("c")), maxapplications=9
    )
    partition = document["partitions"][0]
    (partition if place == "partition" else partition["queues"][0])["limits"] = LIMITED
    found = translations.of_yunikorn(document)
    quotas = {quota.name: quota for quota in found.quotas}
    top = quotas.pop("yunikorn")
    assert top.limits == QuotaLimits(9, (Limit(("ann",), (), {"cpu": 3000}, 2),))
    assert (top.parent, top.is_parent, top.max) == ("koordinator-root-quota", True, {})
    assert {name: quota.parent for name, quota in quotas.items()} == {
        "root-a": "yunikorn",
        "root-b": "yunikorn",
        "root-b-c": "root-b",
    }
    assert found.origins["yunikorn"] == "yunikorn:root"
    assert translations.refusals(found) == translations.not_accepted(found) == []


def test_queues_without_a_root_hang_below_one() -> None:
    document = {"partitions": [{"queues": [{"name": "A"}, {"name": "b"}]}]}
    assert translations.of_yunikorn(document).origins == {
        "root-a": "yunikorn:root.a",
        "root-b": "yunikorn:root.b",
    }


def test_annotations_that_cannot_be_read_or_are_not_known_are_reported() -> None:
    other = "yunikorn.apache.org/namespace.generateAppId"
    bad = space("a", {QUOTA: "{", MAX_CPU: "much", APPS: "-3", other: "true"})
    lead = "Namespace a: metadata.annotations["
    assert texts(config(rules=[TAG]), bad) == [
        f"{lead}{other}]: is not taken over",
        f"{lead}{MAX_CPU}]: 'much' is not a quantity; write a number with an optional suffix like "
        "500m, 2, 1.5, 64k or 16Gi; left out",
        f"{lead}{APPS}]: must be a whole number from 0, got '-3'; left out",
        f'{lead}{QUOTA}]: must be a JSON map like {{"cpu": "4"}}, got \'{{\'; left out',
    ]


def test_what_is_no_configuration_is_reported() -> None:
    assert texts([]) == ["queues.yaml: queues.yaml: must be a map, got a list; left out"]
    assert texts({}) == ["queues.yaml: partitions: must be given; left out"]
