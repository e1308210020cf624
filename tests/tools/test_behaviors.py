"""The list of behaviors says what there is, and a comparison names what went and what came."""

from pathlib import Path

import pytest

import behaviors


def test_the_list_is_what_would_be_written() -> None:
    written = (behaviors.ROOT / behaviors.LIST).read_text(encoding="utf-8")
    assert written == behaviors.text(behaviors.ROOT), "run: make reference"


@pytest.mark.parametrize(
    ("what", "one"),
    [
        ("rules", "EQ1104"),
        ("conditions", "Accepted False TooDeep"),
        ("reasons of refused quotas", "TooDeep"),
        ("reasons of waiting pods", "QuotaExhausted"),
        ("events", "QuotaReclaim"),
        ("metrics", "elasticquota_pending_pods{quota, reason}"),
        ("labels and annotations", "quota.scheduling.koordinator.sh/runtime"),
        ("fields", "ElasticQuota spec.queue.policy"),
        ("values", "config.reclaim.delaySeconds"),
        ("verbs and options", "tree --output wide"),
        ("fields of outputs", "simulate.elasticquota.dev/v1 Quota.borrowed"),
    ],
)
def test_each_kind_of_behavior_is_found(what: str, one: str) -> None:
    assert one in behaviors.of(behaviors.ROOT)[what]


def test_a_comparison_names_what_went_and_what_came(monkeypatch: pytest.MonkeyPatch) -> None:
    of = {Path("old"): {"rules": ["A", "B"]}, behaviors.ROOT: {"rules": ["B", "C"]}}
    monkeypatch.setattr(behaviors, "of", of.__getitem__)
    assert list(behaviors.compared(Path("old"))) == ["rules: 2 -> 2", "  - A", "  + C"]
