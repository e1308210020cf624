"""Keys, fields and resources that look like ones that have an effect: what is said of them."""

import pytest

from elasticquota.forest import nearest_names
from elasticquota.forest.nearest_names import Kind, Place


K, E = "quota.scheduling.koordinator.sh/", "elasticquota.dev/"


def said(kind: Kind, place: Place, key: str) -> str:
    """What is said after the path."""
    labels, annotations = ([key], []) if place == "label" else ([], [key])
    (line,) = nearest_names.of_keys(kind, labels, annotations)
    path = f"metadata.{place}s[{key}]: "
    assert line.startswith(path)
    return line.removeprefix(path)


@pytest.mark.parametrize("key", [f"{K}tree-id", f"{K}is-root"])
def test_seed_001_text_a_label_written_as_an_annotation_is_named(key: str) -> None:
    assert said("quota", "annotation", key) == "has no effect: it is a label, not an annotation"


@pytest.mark.parametrize(
    ("kind", "place", "key", "told"),
    [
        ("quota", "label", f"{K}shared-weight", "has no effect: it is an annotation, not a label"),
        ("quota", "annotation", f"{K}shared-wieght", "has no effect; did you mean shared-weight?"),
        ("quota", "label", f"{K}parent-quota-name", "has no effect; did you mean parent?"),
        ("quota", "label", f"{K}isParent", "has no effect; did you mean is-parent?"),
        ("quota", "label", f"{K}tree_id", "has no effect; did you mean tree-id?"),
        ("quota", "label", f"{K}root-is", "has no effect; did you mean is-root?"),
        (
            "quota",
            "label",
            f"{K}shared-wieght",
            "has no effect; did you mean the annotation shared-weight?",
        ),
        (
            "quota",
            "annotation",
            "elasticquota.io/source",
            f"has no effect; did you mean {E}source?",
        ),
        ("quota", "label", f"{K}name", "has no effect on a quota; it is a label of pods"),
        ("pod", "label", f"{K}parent", "has no effect on a pod; it is a label of quotas"),
        ("pod", "annotation", f"{K}name", "has no effect: it is a label, not an annotation"),
        ("pod", "label", f"{K}nmae", "has no effect; did you mean name?"),
        ("pod", "label", f"{K}quota-name", "has no effect; did you mean name?"),
        (
            "pod",
            "label",
            "quota.scheduling.kordinator.sh/name",
            f"has no effect; did you mean {K}name?",
        ),
        ("pod", "label", f"{E}pod-group-sise", "has no effect; did you mean pod-group-size?"),
        ("namespace", "annotation", f"{E}quota", "has no effect: it is a label, not an annotation"),
        ("namespace", "label", f"{K}name", "has no effect on a namespace; it is a label of pods"),
        (
            "namespace",
            "annotation",
            "yunikorn.apache.org/namespace.guarantee",
            "has no effect; did you mean namespace.guaranteed?",
        ),
        ("tree", "annotation", f"{E}profle", "has no effect; did you mean profile?"),
        ("tree", "label", f"{K}tree-id", "has no effect on a tree; it is a label of quotas"),
        (
            "profile",
            "label",
            f"{K}shared-weight",
            "has no effect on a profile; it is an annotation of quotas",
        ),
    ],
)
def test_a_key_that_looks_like_one_that_is_read_is_named_with_it(
    kind: Kind, place: Place, key: str, told: str
) -> None:
    assert said(kind, place, key) == told


@pytest.mark.parametrize("key", nearest_names.NOT_READ)
def test_a_key_of_a_peer_that_is_deliberately_not_read_is_not_called_misspelled(key: str) -> None:
    told = said("namespace", "annotation", key)
    assert told.startswith("is not read here: ")
    assert "did you mean" not in told


def test_the_queue_policy_of_koord_queue_names_the_field_that_counts() -> None:
    assert said("quota", "label", "koord-queue/queue-policy") == (
        "is not read here: spec.queue.policy: Strict says what Block means"
    )


@pytest.mark.parametrize(
    "key",
    [
        f"{E}run-for",
        f"{K}cost-center",
        "app.kubernetes.io/name",
        "common.k8s.elastic.co/type",
        "gang.scheduling.koordinator.sh/min-available",
        "koordinator.sh/qosClass",
        "yunikorn.apache.org/task-groups",
        "name",
        "",
        "/",
        f"{K}",
        f"{K}{'parent' * 60}",
    ],
)
@pytest.mark.parametrize("kind", nearest_names.KEYS)
def test_the_users_own_keys_and_those_of_others_are_left_alone(kind: Kind, key: str) -> None:
    assert nearest_names.of_keys(kind, [key], [key]) == ()


@pytest.mark.parametrize("kind", nearest_names.KEYS)
def test_no_key_that_is_read_is_warned_of(kind: Kind) -> None:
    places = nearest_names.KEYS[kind]
    assert nearest_names.of_keys(kind, places["label"], places["annotation"]) == ()
    assert nearest_names.of_keys(kind, None, None) == ()


def test_there_are_three_warnings_at_most_and_values_are_not_among_the_arguments() -> None:
    written = {f"{K}parent{'t' * n}": "secret" for n in range(1, 4)}
    found = nearest_names.of_keys(
        "quota", written, dict.fromkeys(nearest_names.KEYS["quota"]["label"])
    )
    assert len(found) == nearest_names.MOST
    assert "secret" not in "".join(found)


def test_labels_are_warned_of_first() -> None:
    found = nearest_names.of_keys("quota", [f"{K}tree_id"], [f"{E}profle", f"{K}shared-wieght"])
    assert [each.partition("[")[0] for each in found] == [
        "metadata.labels",
        "metadata.annotations",
        "metadata.annotations",
    ]


def test_an_object_with_very_many_such_keys_is_compared_with_the_table_a_few_times() -> None:
    many = [f"{K}{number}-qq" for number in range(10_000)]
    assert nearest_names.of_keys("pod", many, many) == ()


def test_a_long_key_is_cut() -> None:
    key = f"quota.scheduling.koordinator.sh.{'x' * 8}.yy/parent-quota-name-{'z' * 30}"
    for line in nearest_names.of_keys("quota", [key, f"{K}parent-{'x' * 5}"], []):
        assert len(line) <= 180


@pytest.mark.parametrize(
    ("kind", "field", "told"),
    [
        ("quota", "mins", "spec.mins: is no field of it and has no effect; did you mean min?"),
        (
            "quota",
            "weights",
            "spec.weights: is no field of it and has no effect; did you mean weight?",
        ),
        (
            "profile",
            "nodeselector",
            "spec.nodeselector: is no field of it and has no effect; did you mean nodeSelector?",
        ),
    ],
)
def test_an_unknown_field_is_named_with_the_nearest(kind: Kind, field: str, told: str) -> None:
    known = "min" if kind == "quota" else "pools"
    assert nearest_names.of_fields(kind, {known: {}, field: {}}) == (told,)


def test_fields_of_other_kinds_are_not_judged() -> None:
    assert nearest_names.of_fields("pod", {"whatever": 1}) == ()


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("memeory", "Did you mean 'memory'?"),
        ("nvidia.com/gpus", "Did you mean 'nvidia.com/gpu'?"),
        ("Memory", "Did you mean 'memory'?"),
        ("gpu", ""),
        ("example.com/fpga", ""),
    ],
)
def test_of_a_resource_the_nearest_one_is_named(written: str, near: str) -> None:
    known = ["cpu", "memory", "nvidia.com/gpu", "pods"]
    assert nearest_names.of_resource(written, known) == near
