"""What a whole job needs is read from YAML and from JSON, and what is neither is reported."""

import pytest

from elasticquota.model.fault import Fault
from elasticquota.wire.integrations import stated_resources


WHERE = "metadata.annotations[kube-queue/min-resources]"


@pytest.mark.parametrize(
    "text", ["cpu: 5\nmemory: 5G\n", '{"cpu": 5, "memory": "5G"}', "{cpu: '5', memory: 5e9}"]
)
def test_a_map_says_amounts(text: str) -> None:
    faults: list[Fault] = []
    assert stated_resources.read(text, WHERE, faults) == {"cpu": 5000, "memory": 5 * 10**9}
    assert faults == []


BAD = [
    ("five", "must be a map such as cpu: 5, got 'five'"),
    ("a: [b", "must be a map such as cpu: 5, got 'a: [b'"),
    ("[" * 5000, "must be a map such as cpu: 5, got '" + "[" * 40 + "...'"),
    ("x" * 20_000, "must not be longer than 16384 characters"),
]


@pytest.mark.parametrize(("text", "sentence"), BAD)
def test_what_is_no_map_says_nothing(text: str, sentence: str) -> None:
    faults: list[Fault] = []
    assert stated_resources.read(text, WHERE, faults) == {}
    assert [*map(str, faults)] == [f"{WHERE}: {sentence}"]


def test_a_bad_amount_is_left_out_and_the_others_count() -> None:
    faults: list[Fault] = []
    assert stated_resources.read("cpu: much\nmemory: 1Gi", WHERE, faults) == {"memory": 1 << 30}
    assert [*map(str, faults)] == [
        f"{WHERE}.cpu: 'much' is not a quantity; "
        "write a number with an optional suffix like 500m, 2, 1.5, 64k or 16Gi"
    ]
