"""The API server itself refuses meaningless values, in sentences, and without a long computation.

No webhook is needed for these rules: an answer of the schema begins with ``The ElasticQuota "x" is
invalid``, an answer of a webhook with its name.
"""

import json
import time
from typing import Any

import pytest

import served
from installation import Installation, Kubectl


pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("product")]

Spec = dict[str, Any]

SYNTAX = "must be a quantity such as 500m, 2 or 16Gi [EQ1001]"
SIGN = "must be greater than or equal to 0 [EQ1001]"
KEYS = "every key must be the name of a resource, such as cpu, memory or nvidia.com/gpu [EQ1001]"
NAMESPACE = "must be the name of a namespace, or '*' for all [EQ1001]"
RATIO = 'must be a decimal greater than 0 and at most 1, such as "0.9" [EP1201]'
VALUES = (
    "values must be given for operator In and NotIn, "
    "and must be left out for Exists and DoesNotExist [EP1201]"
)

REFUSED_QUOTAS: list[tuple[Spec, str]] = [
    # Not a number.
    ({"min": {"cpu": "abc"}}, f'spec.min[cpu]: Invalid value: "abc": {SYNTAX}'),
    ({"min": {"cpu": ""}}, f'spec.min[cpu]: Invalid value: "": {SYNTAX}'),
    ({"max": {"cpu": " 1"}}, f'spec.max[cpu]: Invalid value: " 1": {SYNTAX}'),
    ({"max": {"memory": "1K"}}, f'spec.max[memory]: Invalid value: "1K": {SYNTAX}'),
    ({"max": {"cpu": "NaN"}}, f'spec.max[cpu]: Invalid value: "NaN": {SYNTAX}'),
    ({"max": {"cpu": "1_000"}}, f'spec.max[cpu]: Invalid value: "1_000": {SYNTAX}'),
    ({"min": {"cpu": 1.5}}, 'spec.min.cpu in body must be of type integer,string: "number"'),
    ({"min": {"cpu": "0" * 65}}, "spec.min.cpu: Too long: may not be more than 64 bytes"),
    # A number that no cluster has.
    ({"min": {"cpu": "1e25"}}, f'spec.min[cpu]: Invalid value: "1e25": {SYNTAX}'),
    ({"max": {"cpu": "1e99999999"}}, f'spec.max[cpu]: Invalid value: "1e99999999": {SYNTAX}'),
    ({"max": {"cpu": "1e-99999999"}}, f'spec.max[cpu]: Invalid value: "1e-99999999": {SYNTAX}'),
    # Negative.
    ({"min": {"cpu": -1}}, f"spec.min[cpu]: Invalid value: -1: {SIGN}"),
    ({"max": {"cpu": "-1"}}, f'spec.max[cpu]: Invalid value: "-1": {SIGN}'),
    # Keys.
    ({"min": {"CPU cores": 1}}, f"spec.min: Invalid value: {KEYS}"),
    (
        {"min": {f"example.com/r{number}": 1 for number in range(65)}},
        "spec.min: Too many: 65: must have at most 64 items",
    ),
    # min against max.
    (
        {"min": {"cpu": 1, "memory": 1}, "max": {"cpu": 1}},
        "spec.min: Invalid value: memory: is not in max; "
        "add it to max, or leave max out for no limit [EQ1002]",
    ),
    (
        {"min": {"cpu": "1001m"}, "max": {"cpu": 1}},
        "spec.min: Invalid value: cpu: 1001m must be less than or equal to 1, its max; "
        "lower min or raise max [EQ1002]",
    ),
    (
        {"min": {"memory": "1Gi"}, "max": {"memory": "1G"}},
        "spec.min: Invalid value: memory: 1Gi must be less than or equal to 1G, its max; "
        "lower min or raise max [EQ1002]",
    ),
    # Whose pods and whose quotas it takes.
    (
        {"access": {"pods": ["a", "Team_B"]}},
        f'spec.access.pods[1]: Invalid value: "Team_B": {NAMESPACE}',
    ),
    ({"access": {"children": [""]}}, f'spec.access.children[0]: Invalid value: "": {NAMESPACE}'),
    ({"access": {"pods": "*"}}, 'spec.access.pods in body must be of type array: "string"'),
    ({"access": {"pods": ["a" * 64]}}, "spec.access.pods[0]: Too long: may not be more than 63"),
]

DURATION = "must be a duration such as 30s or 1m30s, from 0s to 24h [EQ1001]"
DELAY = "must be Never, or a duration such as 15m, from 0s to 24h [EQ1001]"
LABELS = "every key must be the name of a label, such as gpu or nvidia.com/gpu.product [EQ1001]"

REFUSED_SETTINGS: list[tuple[Spec, str]] = [
    ({"paused": "true"}, 'spec.paused in body must be of type boolean: "string"'),
    (
        {"queue": {"policy": "strict"}},
        'spec.queue.policy: Unsupported value: "strict": supported values: "BestEffort", "Strict"',
    ),
    (
        {"queue": {"order": "Fifo"}},
        'spec.queue.order: Unsupported value: "Fifo": supported values: "Priority", "Age"',
    ),
    (
        {"queue": {"applications": "fair"}},
        'spec.queue.applications: Unsupported value: "fair": supported values: "Fifo", "Fair"',
    ),
    *(
        (
            {"reclaim": {"grace": grace}},
            f'spec.reclaim.grace: Invalid value: "{grace}": {DURATION}',
        )
        for grace in ("soon", "30", "-1s", "1.5h", "24h1ms", "9999999h", "Never")
    ),
    (
        {"reclaim": {"overMaxDelay": "never"}},
        f'spec.reclaim.overMaxDelay: Invalid value: "never": {DELAY}',
    ),
    (
        {"reclaim": {"preemption": "fence"}},
        'spec.reclaim.preemption: Unsupported value: "fence": supported values: "Default", '
        '"Fence", "Disabled"',
    ),
    (
        {"limits": {"applications": -1}},
        "spec.limits.applications: Invalid value: -1: spec.limits.applications in body should be "
        "greater than or equal to 0",
    ),
    (
        {"limits": {"people": [{"max": {"cpu": 1}}]}},
        "spec.limits.people[0]: Invalid value: must name users or groups [EQ1001]",
    ),
    (
        {"limits": {"people": [{"users": ["a"], "max": {"cpu": "-1"}}]}},
        'spec.limits.people[0].max.cpu: Invalid value: "-1": spec.limits.people[0].max.cpu in body '
        "should match",
    ),
    ({"nodeSelector": {"a gpu": ["a100"]}}, f"spec.nodeSelector: Invalid value: {LABELS}"),
    ({"nodeSelector": {"gpu": []}}, "spec.nodeSelector.gpu in body should have at least 1 items"),
    (
        {"nodeSelector": {"gpu": ["a 100"]}},
        'spec.nodeSelector.gpu[0]: Invalid value: "a 100": spec.nodeSelector.gpu[0] in body should '
        "match",
    ),
]

ACCEPTED_QUOTAS: list[Spec] = [
    {
        "paused": True,
        "queue": {"policy": "Strict", "order": "Age", "applications": "Fair"},
        "reclaim": {"grace": "1h0m5s7ms", "overMaxDelay": "Never", "preemption": "Fence"},
        "limits": {
            "applications": 20,
            "people": [{"users": ["*"], "groups": ["a b"], "max": {"cpu": "1", "memory": 0}}],
        },
        "nodeSelector": {"gpu": ["a100", ""], "nvidia.com/gpu.product": ["v100"]},
    },
    *({"reclaim": {"grace": "24h", "overMaxDelay": delay}} for delay in ("0s", "15m", "500ms")),
    {},
    {"min": {"cpu": 1, "memory": "1Gi"}},
    {"min": {"cpu": 1}, "max": {}},
    {"max": {"cpu": "500m", "nvidia.com/gpu": 8, "hugepages-2Mi": "1Gi", "batch-cpu": 1}},
    {"min": {"cpu": "1000m"}, "max": {"cpu": 1}},
    {"min": {"cpu": ".5"}, "max": {"cpu": "1.", "memory": "1e24"}},
    {"max": {"cpu": 4611686018427387, "memory": 4611686018427387}},
    {"access": {"pods": ["*"], "children": []}},
    {"access": {"pods": [f"team-{number}" for number in range(1024)]}},
]

REFUSED_PROFILES: list[tuple[Spec, str]] = [
    ({"nodeSelector": {}}, "spec.quotaName: Required value"),
    ({"quotaName": "root"}, "spec.nodeSelector: Required value"),
    (
        {"quotaName": "Gpu_pool", "nodeSelector": {}},
        'spec.quotaName: Invalid value: "Gpu_pool": must be a name of lower case letters, digits, '
        "'-' and '.', such as gpu-pool [EP1201]",
    ),
    *(
        (
            {"quotaName": "root", "nodeSelector": {}, "resourceRatio": ratio},
            f"spec.resourceRatio: Invalid value: {json.dumps(ratio)}: {RATIO}",
        )
        for ratio in ("0", "0.0", "1.01", "-1", "abc", "NaN", "", "1e-1")
    ),
    *(
        (
            {"quotaName": "root", "nodeSelector": {"matchExpressions": [expression]}},
            f"spec.nodeSelector.matchExpressions[0]: Invalid value: {VALUES}",
        )
        for expression in (
            {"key": "pool", "operator": "In"},
            {"key": "pool", "operator": "NotIn", "values": []},
            {"key": "pool", "operator": "Exists", "values": ["cpu"]},
        )
    ),
    (
        {
            "quotaName": "root",
            "nodeSelector": {"matchExpressions": [{"key": "pool", "operator": "Is"}]},
        },
        'Unsupported value: "Is": supported values: "In", "NotIn", "Exists", "DoesNotExist"',
    ),
]

ACCEPTED_PROFILES: list[Spec] = [
    {"quotaName": "root", "nodeSelector": {}},
    *({"quotaName": "root", "nodeSelector": {}, "resourceRatio": r} for r in ("1", "0.9", ".5")),
    {
        "quotaName": "root",
        "nodeSelector": {
            "matchLabels": {"pool": "cpu"},
            "matchExpressions": [
                {"key": "pool", "operator": "In", "values": ["cpu"]},
                {"key": "pool", "operator": "Exists"},
            ],
        },
        "quotaLabels": {"team": "a"},
    },
]


def _quota(spec: Spec, name: str = "tried") -> str:
    return json.dumps(
        {
            "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
            "kind": "ElasticQuota",
            "metadata": {"name": name},
            "spec": spec,
        }
    )


def _profile(spec: Spec) -> str:
    return json.dumps(
        {
            "apiVersion": "quota.koordinator.sh/v1alpha1",
            "kind": "ElasticQuotaProfile",
            "metadata": {"name": "tried"},
            "spec": spec,
        }
    )


def _try(kubectl: Kubectl, manifest: str, *flags: str) -> tuple[int, str]:
    done = kubectl.attempt("create", "--dry-run=server", "-f", "-", *flags, stdin=manifest)
    return done.returncode, done.stderr


def _refused(kubectl: Kubectl, manifest: str, kind: str, sentence: str) -> None:
    code, said = _try(kubectl, manifest)
    assert code == 1
    assert said.startswith(f'The {kind} "tried" is invalid: ')
    assert served.without_values(sentence) in served.without_values(said)


def _accepted(kubectl: Kubectl, manifest: str, *flags: str) -> None:
    """Create it as a dry run; the webhook may add a warning of its own."""
    code, said = _try(kubectl, manifest, *flags)
    assert code == 0, said


@served.since(34)
@pytest.mark.parametrize(("spec", "sentence"), REFUSED_QUOTAS)
def test_a_meaningless_quota_is_refused_by_the_schema(
    kubectl: Kubectl, spec: Spec, sentence: str
) -> None:
    began = time.monotonic()
    _refused(kubectl, _quota(spec), "ElasticQuota", sentence)
    # The quantity library alone would work on 1e99999999 until the request times out.
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(("spec", "sentence"), REFUSED_SETTINGS)
def test_a_setting_without_meaning_is_refused_by_the_schema(
    kubectl: Kubectl, spec: Spec, sentence: str
) -> None:
    _refused(kubectl, _quota(spec), "ElasticQuota", sentence)


@pytest.mark.parametrize("spec", ACCEPTED_QUOTAS)
def test_a_valid_quota_is_accepted(kubectl: Kubectl, spec: Spec) -> None:
    _accepted(kubectl, _quota(spec))


def test_a_quota_has_a_name_that_fits_into_a_label(kubectl: Kubectl) -> None:
    _accepted(kubectl, _quota({}, name="a" * 63))
    code, said = _try(kubectl, _quota({}, name="a" * 64))
    assert code == 1
    assert said.endswith(
        "metadata.name must be no more than 63 characters, "
        "because pods name their quota in a label [EQ1001]\n"
    )


@served.since(34)
def test_all_errors_of_a_quota_are_named_at_once(kubectl: Kubectl) -> None:
    spec = {"min": {"cpu": "x", "memory": -1, "pods": 1}, "max": {"cpu": 1}}
    _, said = _try(kubectl, _quota(spec))
    assert SYNTAX in said
    assert SIGN in said
    assert "is not in max" in said


def test_kubectl_reports_an_unknown_field_and_programs_have_it_dropped(kubectl: Kubectl) -> None:
    code, said = _try(kubectl, _quota({"mins": {"cpu": 1}}))
    assert code == 1
    assert 'unknown field "spec.mins"' in said
    _accepted(kubectl, _quota({"mins": {"cpu": 1}}), "--validate=ignore")


@served.since(34)
@pytest.mark.parametrize(("spec", "sentence"), REFUSED_PROFILES)
def test_a_meaningless_profile_is_refused_by_the_schema(
    kubectl: Kubectl, spec: Spec, sentence: str
) -> None:
    _refused(kubectl, _profile(spec), "ElasticQuotaProfile", sentence)


@served.before(34)
def test_before_1_34_the_same_values_are_refused_in_fewer_words(kubectl: Kubectl) -> None:
    """By pattern instead of sentence, without the written value, or by the webhook."""
    for spec, _ in REFUSED_QUOTAS:
        began = time.monotonic()
        code, said = _try(kubectl, _quota(spec))
        assert code == 1, spec
        by_webhook = "must be less than or equal to" in said and "[EQ1002]" in said
        assert said.startswith('The ElasticQuota "tried" is invalid: ') or by_webhook, said
        assert time.monotonic() - began < 10
    for spec, _ in REFUSED_PROFILES:
        code, said = _try(kubectl, _profile(spec))
        assert code == 1, spec
        assert said.startswith('The ElasticQuotaProfile "tried" is invalid: '), said


@pytest.mark.parametrize("spec", ACCEPTED_PROFILES)
def test_a_valid_profile_is_accepted(kubectl: Kubectl, spec: Spec) -> None:
    _accepted(kubectl, _profile(spec))


def test_a_profile_keeps_its_root_quota(kubectl: Kubectl, namespace: str) -> None:
    nowhere = {"matchLabels": {"elasticquota.dev/nowhere": "true"}}
    profile = _profile({"quotaName": "a", "nodeSelector": nowhere})
    kubectl("apply", "-n", namespace, "-f", "-", stdin=profile)
    changed = json.dumps({"spec": {"quotaName": "b"}})
    done = kubectl.attempt("patch", "eqp", "tried", "-n", namespace, "--type=merge", "-p", changed)
    kubectl("delete", "eqp", "tried", "-n", namespace)
    assert done.stderr.startswith('The ElasticQuotaProfile "tried" is invalid: spec.quotaName: ')
    assert done.stderr.endswith(
        "must not change, because the tree hangs on it; create a second profile instead [EP1201]\n"
    )


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("eq", "ElasticQuota is one node in a tree of quotas."),
        ("eqs.spec.min", "Guaranteed amount of each resource"),
        ("elasticquota.spec.max", "Largest amount of each resource"),
        ("elasticquota.status.runtime", "may use now"),
        ("eq.spec.reclaim", "When room is reclaimed for the quota"),
        ("eq.spec.access", "Namespaces whose pods may name the quota"),
        ("elasticquota.status.conditions", "Condition `Accepted` says"),
        ("eqp.spec.nodeSelector", "Selects the nodes of the tree by their labels."),
        ("elasticquotaprofile.spec.resourceRatio", "Share of the nodes"),
    ],
)
def test_kubectl_explains_the_fields(
    kubectl: Kubectl, product: Installation, field: str, words: str
) -> None:
    assert words in " ".join(kubectl("explain", field).split())
