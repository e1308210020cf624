"""EQ1003: webhook and controller say the same of a weight without a max."""

import forests
from elasticquota.forest import quota_warnings
from elasticquota.ledger.inputs.accounting import Accounting
from elasticquota.validation import chains
from elasticquota.validation.change import Change


def test_the_warning_about_a_stored_quota_is_what_the_webhook_refuses() -> None:
    (quota,) = forests.quotas("a ..4 w=2 w.gpu=1")
    refused = chains.judge(Change(None, quota), forests.forest("")).refused
    members = Accounting().membership(forests.forest("a ..4 w=2 w.gpu=1"))
    assert [found.line for found in refused] == [*quota_warnings.of(quota, members, "")]


def test_a_weight_of_what_max_names_and_one_without_max_are_good() -> None:
    for line in ("a ..4 w=2", "a w.gpu=1"):
        (quota,) = forests.quotas(line)
        assert not chains.judge(Change(None, quota), forests.forest("")).refused
