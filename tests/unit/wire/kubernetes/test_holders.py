"""For whom a pod holds what it holds: the stamp of admission, and the application's spellings."""

import pytest

from elasticquota.model import holder
from elasticquota.model.holder import Holder
from elasticquota.wire.kubernetes import holders


STAMP = "yunikorn.apache.org/user.info"


def test_the_stamp_says_the_user_and_its_groups() -> None:
    written = {STAMP: holders.stamp("ann", ["dev", "ops"])}
    assert written == {STAMP: '{"user":"ann","groups":["dev","ops"]}'}
    assert holders.read({}, written) == Holder("ann", ("dev", "ops"))


@pytest.mark.parametrize("text", ["", "ann", "[]", '{"user": 5}', "{}"])
def test_without_a_stamp_that_can_be_read_no_user_is_known(text: str) -> None:
    assert holders.read({}, {STAMP: text}) == holder.NO_HOLDER


def test_seed_004_run_a_workload_an_application_is_named_in_any_spelling() -> None:
    """Seed 004: pods with the same label "are considered" to be one application."""
    new, old, spark = "yunikorn.apache.org/app-id", "applicationId", "spark-app-selector"
    assert holders.read({spark: "s"}, {}).application == "s"
    assert holders.read({spark: "s", old: "o"}, {}).application == "o"
    assert holders.read({spark: "s", old: "o"}, {new: "n"}).application == "n"
    assert holders.read({old: "o", new: "label"}, {new: "annotation"}).application == "label"


def test_pods_that_say_the_same_share_one_value() -> None:
    first = holders.read({"applicationId": "a"}, {})
    assert holders.read({"applicationId": "a"}, {}) is first


@pytest.mark.parametrize("found", [holder.NO_HOLDER, Holder("ann", ("dev",), "a"), Holder("bob")])
def test_what_is_reported_of_one_reads_back(found: Holder) -> None:
    assert holders.read({}, holders.annotations(found)) == found
