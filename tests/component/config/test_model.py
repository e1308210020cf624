"""The configuration file: defaults for every key, one line per fault with the nearest key."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from elasticquota.forest.settings import SharingTerms, TreeSelection
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.scheduling.inputs.policy import Policy
from elasticquota.validation import severity
from elasticquota.validation.severity import Validation
from elasticquota_config import model
from elasticquota_config.fields import section
from elasticquota_config.model import Configuration, ConfigurationError


WHOLE = """
mode: observe
systemNamespaces: [kube-system, monitoring]
controllerUser: system:serviceaccount:elastic-quota-system:elastic-quota-controller
accounting:
  defaultQuota: false
  ignoreOverhead: true
  ignoreTerminating: atOnce
defaultTree: {mode: enforce, guaranteeUsage: true, childNamespaces: [plans]}
rules:
  profile: strict
  trees: {"7": permissive}
  overrides: {PD1301: off, EQ1103-equal: warn}
podAdmission: policy
compatAnnotations: false
compatMessages: true
compatMetrics: true
admission: {headOfLineSeconds: 60, unschedulableTimeoutSeconds: 90}
reclaim:
  graceSeconds: 0
  delaySeconds: 60
  fairShare: false
  fairShareTrees: {"7": true}
  fairShareDialects: {capacity: true, yunikorn: false}
  minRuntimeSeconds: 90
  evictionsPerSecond: 5
  maxGraceSeconds: 60
  brakePercent: 60
  deleteAfterSeconds: 70
  paused: true
lease: {name: other, durationSeconds: 30, renewSeconds: 20, retrySeconds: 4}
controller: {port: 8090}
webhook:
  {port: 9444, healthPort: 8091, service: svc, caSecret: ca, configuration: hooks}
logging: {format: json, level: debug}
dialects: {yunikorn: true}
policies:
- {kind: ValidatingAdmissionPolicy, name: eq-creators, binding: eq-creators, actions: [Deny]}
"""


def test_an_empty_file_means_all_defaults() -> None:
    assert model.parse("") == Configuration()
    assert Configuration().system_namespaces == ("kube-system",)


def test_every_key_can_be_set() -> None:
    written = yaml.safe_load(WHOLE.replace("PD1301: off", "PD1301: 'off'"))
    assert has(json.loads(json.dumps(section.plain(model.parse(WHOLE)))), written)


def has(read: Any, written: Any) -> bool:
    """Whether all that is written is read."""
    if isinstance(written, dict):
        return all(has(read[key], value) for key, value in written.items())
    return bool(read == written)


def test_the_policy_of_the_core_has_what_is_set_in_milliseconds() -> None:
    read = model.parse(WHOLE)
    assert read.policy() == Policy(
        grace=0,
        delay=60_000,
        fair_share=False,
        fair_share_trees={"7": True},
        dialects_without_fair_share=frozenset({"yunikorn"}),
        head_of_line=60_000,
        min_runtime=90_000,
        evictions_per_second=5,
        brake_percent=60,
        paused=True,
        label_namespaces=True,
        exceed_dimensions=True,
        accounting=read.what_counts(),
    )


def test_the_mark_of_a_dialect_that_is_off_exempts_no_quota_from_a_fair_share() -> None:
    """Without the dialect every tenant may write its label."""
    assert Configuration().policy().dialects_without_fair_share == frozenset()
    followed = model.parse("dialects: {capacity: true, ack: true}")
    assert followed.policy().dialects_without_fair_share == {"capacity"}


def test_labels_of_namespaces_are_kept_only_where_a_policy_uses_them() -> None:
    assert model.parse(WHOLE).policy().label_namespaces
    assert not Configuration().policy().label_namespaces


def test_accounting_settings_are_passed_to_the_core_with_our_namespace() -> None:
    read = model.parse(WHOLE)
    assert read.what_counts("operator") == Accounting(
        default_quota=False,
        ignore_overhead=True,
        ignore_terminating="atOnce",
        unschedulable_timeout=90_000,
        max_grace=60_000,
        in_parents_refused=TreeSelection(usually=False),
        unknown_refused=TreeSelection(usually=True, other_trees=frozenset({"7"})),
        external_refused=TreeSelection(usually=True, other_trees=frozenset({"7"})),
        unlisted_refused=TreeSelection(usually=True, other_trees=frozenset({"7"})),
        terms=SharingTerms(
            sums_refused=TreeSelection(usually=True, other_trees=frozenset({"7"})),
            observes=True,
            default_tree_guarantees_use=True,
            system_namespaces=frozenset({"kube-system", "monitoring", "operator"}),
            default_tree_takes=("plans", "operator"),
            home="operator",
        ),
    )


def test_what_pods_say_of_their_creators_counts_where_admission_writes_it_and_judges_it() -> None:
    judged = """
policies:
- {kind: ValidatingAdmissionPolicy, name: eq-creators, binding: eq-creators, actions: [Deny]}
"""
    followed = "dialects: {yunikorn: true}"
    assert model.parse(followed + judged).what_counts().knows_creators
    for text in ("", judged, followed):
        assert not model.parse(text).what_counts().knows_creators


def test_koordinators_switches_are_passed_to_the_core() -> None:
    plain = model.parse("").what_counts().terms
    assert (plain.limits_by_max, plain.scales_min, plain.observes_everywhere) == (
        False,
        True,
        False,
    )
    text = "{sharing: {runtime: false, scaleMin: false}, besideKoordinator: true}"
    found = model.parse(text).what_counts().terms
    assert (found.limits_by_max, found.scales_min) == (True, False)
    assert (found.observes_everywhere, found.observes) == (True, True)
    assert model.parse("guaranteeUsage: true").what_counts().terms.guarantees_use


@pytest.mark.parametrize(
    ("said", "takes"),
    [
        ("{}", ("operator",)),
        ("{childNamespaces: [plans]}", ("plans", "operator")),
        ("{childNamespaces: ['*']}", None),
    ],
)
def test_the_default_tree_accepts_quotas_of_our_and_of_listed_namespaces(
    said: str, takes: tuple[str, ...] | None
) -> None:
    read = model.parse(f"defaultTree: {said}")
    assert read.what_counts("operator").terms.default_tree_takes == takes


def test_tools_find_the_release_by_the_name_of_its_controller() -> None:
    read = model.parse("controllerUser: system:serviceaccount:quotas:eq-controller")
    terms = read.what_counts().terms
    assert (terms.home, terms.default_tree_takes) == ("quotas", ("quotas",))


@pytest.mark.parametrize(
    ("rules", "refused", "told"),
    [
        ("{profile: ack}", TreeSelection(usually=False), TreeSelection(usually=False)),
        ("{profile: permissive}", TreeSelection(usually=False), TreeSelection(usually=True)),
        ("{profile: yunikorn}", TreeSelection(usually=True), TreeSelection(usually=False)),
        (
            "{trees: {'7': ack, '8': strict}}",
            TreeSelection(usually=True, other_trees=frozenset({"7"})),
            TreeSelection(usually=True, other_trees=frozenset({"7"})),
        ),
        (
            "{profile: ack, trees: {'7': strict}, overrides: {EQ1103: warn}}",
            TreeSelection(usually=False, other_trees=frozenset({"7"})),
            TreeSelection(usually=True),
        ),
        (
            "{profile: ack, overrides: {EQ1104: deny}}",
            TreeSelection(usually=True),
            TreeSelection(usually=False),
        ),
    ],
)
def test_the_controller_uses_the_validation_profile_of_each_tree(
    rules: str, refused: TreeSelection, told: TreeSelection
) -> None:
    terms = model.parse(f"rules: {rules}").what_counts().terms
    assert (terms.sums_refused, terms.keys_warned) == (refused, told)


def test_validation_settings_are_passed_to_the_core() -> None:
    assert model.parse(WHOLE).validation() == Validation(
        profile="strict",
        trees={"7": "permissive"},
        # YAML reads a bare off as false.
        overrides={"PD1301": "off", "EQ1103-equal": "warn"},
    )
    assert Configuration().validation() == severity.USUAL


def test_by_default_everything_counts_as_in_koordinator() -> None:
    assert Configuration().what_counts() == Accounting(knows_creators=False)


def test_a_written_configuration_can_be_read_back() -> None:
    read = model.parse(WHOLE)
    assert model.parse(json.dumps(section.plain(read))) == read


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        # unknown keys
        (
            "reclaim: {graceSecond: 5}",
            "reclaim.graceSecond: unknown key, did you mean graceSeconds?",
        ),
        (
            "defaultTree: {childNamespaces: [Plans]}",
            "defaultTree.childNamespaces.0: must be a Kubernetes name (lower case letters, digits, "
            "'-' and '.'), got 'Plans'",
        ),
        ("reclame: {}", "reclame: unknown key, did you mean reclaim?"),
        (
            "controller: {x: 1}",
            "controller.x: unknown key; known here: port, livenessPort, eventRefreshSeconds",
        ),
        # bounds
        ("reclaim: {graceSeconds: -1}", "reclaim.graceSeconds: must be at least 0, got -1"),
        (
            "reclaim: {evictionsPerSecond: 1001}",
            "reclaim.evictionsPerSecond: must be at most 1000, got 1001",
        ),
        ("controller: {port: 65536}", "controller.port: must be at most 65535, got 65536"),
        ("- reclaim", "the file: must be a mapping of keys to values, got ['reclaim']"),
        # texts
        (
            "systemNamespaces: [Kube_System]",
            "systemNamespaces.0: must be a Kubernetes name "
            "(lower case letters, digits, '-' and '.'), got 'Kube_System'",
        ),
        (
            "logging: {level: loud}",
            "logging.level: must be one of 'debug', 'info', 'warning' or 'error', got 'loud'",
        ),
        (
            "accounting: {ignoreTerminating: always}",
            "accounting.ignoreTerminating: must be one of 'never', 'afterGrace' or 'atOnce', "
            "got 'always'",
        ),
        # rules
        (
            "rules: {profile: strikt}",
            "rules.profile: there is no validation profile 'strikt', did you mean strict?",
        ),
        (
            "rules: {trees: {'7': lax}}",
            "rules.trees.7: there is no validation profile 'lax'; known here: ack, "
            "koordinator, permissive, strict, yunikorn",
        ),
        (
            "dialects: {flavors: {a100: {model: 'a 100'}}}",
            "dialects.flavors.a100: labels.model: must be a text of at most 63 letters, digits, "
            "'-', '_' and '.', got 'a 100'",
        ),
        (
            "rules: {overrides: {PD1360: deny}}",
            "rules.overrides.PD1360: there is no rule with levels 'PD1360', did you mean PD1306?",
        ),
        (
            "rules: {overrides: {EQ1102: warn}}",
            "rules.overrides.EQ1102: rule 'EQ1102' is the same in every profile and cannot be "
            "changed",
        ),
        (
            "rules: {overrides: {PD1306: maybe}}",
            "rules.overrides.PD1306: must be one of 'off', 'warn' or 'deny', got 'maybe'",
        ),
        # rules over several keys
        (
            "lease: {renewSeconds: 15}",
            "lease: must hold retrySeconds < renewSeconds < durationSeconds, got 2, 15, 15",
        ),
        (
            "controller: {livenessPort: 8080}",
            "controller: must have two different ports, got port = livenessPort = 8080",
        ),
        (
            "webhook: {healthPort: 9443}",
            "webhook: must have two different ports, got port = healthPort = 9443",
        ),
    ],
    ids=lambda text: text[:40],
)
def test_a_fault_is_reported_in_one_line(text: str, fault: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        model.parse(text)
    assert str(caught.value) == fault


def test_text_that_is_not_yaml_is_reported_with_its_line() -> None:
    with pytest.raises(ConfigurationError, match=r"^not YAML: .*line 1, column 5"):
        model.parse("a: [")


def test_a_missing_file_is_reported_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"cannot read the configuration: .*none\.yaml"):
        model.load(tmp_path / "none.yaml")


def test_a_configuration_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Configuration().reclaim.paused = True  # type: ignore[misc]  # it is refused, which is tested


def test_the_default_tree_uses_the_common_mode_unless_it_has_its_own() -> None:
    for text, observes, default_tree_observes in (
        ("", False, False),
        ("mode: observe", True, True),
        ("{mode: observe, defaultTree: {mode: enforce}}", True, False),
        ("defaultTree: {mode: observe}", False, True),
    ):
        terms = model.parse(text).policy().accounting.terms
        assert (terms.observes, terms.default_tree_observes) == (observes, default_tree_observes)
