"""The mode of a tree as its profile and its root quota say it."""

from typing import Any

import msgspec
import pytest

from elasticquota import names
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.wire.quota import profiles, quotas


def documents(text: str | None) -> dict[str, Any]:
    annotations = {} if text is None else {names.MODE: text}
    return {"metadata": {"name": "pool", "namespace": "ns", "annotations": annotations}}


def profile(text: str | None) -> Profile:
    whole = {**documents(text), "spec": {"quotaName": "root", "nodeSelector": {}}}
    return profiles.read(msgspec.convert(whole, profiles.ProfileManifest))


def quota(text: str | None) -> Quota:
    return quotas.read(msgspec.convert(documents(text), quotas.QuotaManifest))


@pytest.mark.parametrize(
    ("text", "observes"), [("observe", True), ("enforce", False), ("", None), (None, None)]
)
def test_a_tree_observes_enforces_or_leaves_it_open(
    text: str | None, observes: bool | None
) -> None:
    assert (profile(text).observes, profile(text).faults) == (observes, ())
    assert (quota(text).observes, quota(text).warnings) == (observes, ())


@pytest.mark.parametrize("text", ["Observe", "dry-run", "true"])
def test_what_is_no_mode_leaves_it_open_and_is_told(text: str) -> None:
    said = (
        f"metadata.annotations[{names.MODE}]: must be 'enforce' or 'observe', got '{text}', which "
        "counts as the mode of the configuration"
    )
    assert (profile(text).observes, profile(text).faults) == (None, (said,))
    assert (quota(text).observes, quota(text).warnings, quota(text).faults) == (None, (said,), ())
