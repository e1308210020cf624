"""The test of a module is found by its path: ``tests/unit`` mirrors ``operator/elasticquota``."""

from pathlib import Path


ROOT = Path(__file__).parents[2]
CORE = ROOT / "operator" / "elasticquota"
UNIT = ROOT / "tests" / "unit"

OTHERS = {
    "forest/test_modes.py": "forest/structure.py",
    "jobs/test_reading_is_total.py": "jobs/job.py",
    "scheduling/admission/test_admission_limit.py": "scheduling/admission/admit.py",
    "scheduling/admission/test_elastic_trees.py": "scheduling/admission/admit.py",
    "scheduling/admission/test_paused_quotas.py": "scheduling/admission/admit.py",
    "scheduling/preemption/test_cause.py": "scheduling/preemption/targets.py",
    "scheduling/preemption/test_elastic_reclaim.py": "scheduling/preemption/reclaim.py",
    "scheduling/preemption/test_external_pods.py": "scheduling/preemption/reclaim.py",
    "scheduling/preemption/test_misplaced.py": "scheduling/preemption/reclaim.py",
    "scheduling/preemption/test_preemption_policy.py": "scheduling/preemption/reclaim.py",
    "scheduling/preemption/test_reclaim_times.py": "scheduling/preemption/reclaim.py",
    "scheduling/preemption/test_search_nodes.py": "scheduling/preemption/search.py",
    "scheduling/queue/test_pod_groups.py": "scheduling/queue/order.py",
    "status/test_waiting_for_nodes.py": "status/without_node.py",
    "status/test_counts.py": "status/messages.py",
    "decisions/test_koordinators_known_defects.py": "decisions/decide.py",
    "scheduling/test_small_pods_return.py": "scheduling/evictions/eviction_rate.py",
    "sharing/test_demand.py": "sharing/runtime.py",
    "sharing/test_guarantee_usage.py": "sharing/runtime.py",
    "sharing/test_koordinators_switches.py": "sharing/runtime.py",
    "sharing/test_moved_quotas.py": "sharing/runtime.py",
    "sharing/test_steps.py": "sharing/level.py",
    "sharing/test_untidy_nodes.py": "sharing/profile_nodes.py",
    "test_contracts.py": "__init__.py",
    "test_usual_method.py": "sharing/level.py",
    "forest/test_nearest_names_table.py": "forest/nearest_names.py",
    "wire/test_bad_input_built_in.py": "wire/kubernetes/pods.py",
    "wire/test_bad_input_profiles.py": "wire/quota/profiles.py",
    "wire/test_bad_input_quotas.py": "wire/quota/quotas.py",
    "wire/quota/test_kstatus_rules.py": "wire/quota/statuses.py",
    "wire/test_wire_is_total.py": "wire/__init__.py",
}
"""Tests of an aspect of a module that has a test file of its own, or of several modules."""


def of(test: Path) -> Path:
    """The module that a test file is named after."""
    return CORE / test.parent / test.name.removeprefix("test_")


def test_each_unit_test_has_the_path_of_its_module() -> None:
    tests = {path.relative_to(UNIT) for path in UNIT.rglob("test_*.py")}
    without = {str(test) for test in tests if not of(test).is_file()}
    assert without == OTHERS.keys()


def test_the_other_unit_tests_name_a_module_that_is_there() -> None:
    assert [module for module in OTHERS.values() if not (CORE / module).is_file()] == []


def test_no_folder_of_the_product_has_more_than_a_dozen_modules_of_several_families() -> None:
    """A family: rules, values, readers of one API, one external system, one command, messages."""
    families = {
        "elasticquota/model",
        "elasticquota/integrations/yunikorn",
        "elasticquota/validation",
        "elasticquota/wire/quota",
        "elasticquota/forest",
        "elasticquota/forecast",
        "elasticquota/status",
        "elasticquota_cli/doctor",
        "elasticquota_cli/simulate",
        "elasticquota_cli/verbs",
        "elasticquota_webhooks/certificates",
    }
    for source in (ROOT / "operator", ROOT / "webhooks", ROOT / "importers"):
        for folder in {path.parent for path in source.rglob("*.py")}:
            modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
            assert len(modules) <= 12 or str(folder.relative_to(source)) in families, folder
