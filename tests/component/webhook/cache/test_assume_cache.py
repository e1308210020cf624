"""What a replica remembers of its own answers, and how watch events end these notes."""

import msgspec

from elasticquota.model.key import Key
from elasticquota.wire.quota import quotas
from elasticquota.wire.quota.quotas import QuotaManifest
from elasticquota_webhooks.cache.assume_cache import AssumeCache
from elasticquota_webhooks.cache.caches import Caches
from webhook_fixture import ACCOUNTING, quota


KEY = Key("teams", "a")


def manifest(cpu: int = 1, version: int = 1) -> QuotaManifest:
    return msgspec.convert(quota("a", {"cpu": cpu}, version=version), QuotaManifest)


def noted(new: QuotaManifest | None, version: str) -> AssumeCache:
    recent = AssumeCache(lambda: 0.0)
    recent.note(KEY, None if new is None else quotas.read(new), version)
    return recent


def test_a_creation_is_confirmed_by_any_version() -> None:
    assert noted(manifest(), "").seen(KEY, "7")


def test_a_creation_is_not_ended_by_the_deletion_of_an_older_object_of_its_name() -> None:
    recent = noted(manifest(), "")
    assert not recent.seen(KEY, "")
    assert recent.over(KEY, None) is not None


def test_an_edit_is_confirmed_by_a_later_version_only() -> None:
    recent = noted(manifest(), "7")
    assert not recent.seen(KEY, "6")
    assert not recent.seen(KEY, "7")
    assert recent.seen(KEY, "8")


def test_a_deletion_is_confirmed_when_the_object_is_gone() -> None:
    recent = noted(None, "7")
    stored = quotas.read(manifest())
    assert not recent.seen(KEY, "8")
    assert recent.over(KEY, stored) is None
    assert recent.seen(KEY, "")
    assert recent.over(KEY, stored) == stored


def test_other_quotas_end_no_note() -> None:
    assert not noted(manifest(), "").seen(Key("teams", "b"), "7")


def test_a_version_that_is_not_a_number_ends_no_note() -> None:
    assert not noted(manifest(), "7").seen(KEY, "strange")


def test_the_forest_is_not_built_again_for_a_status() -> None:
    caches = Caches(ACCOUNTING)
    caches.quotas.upsert(manifest(version=1))
    before = caches.membership()
    caches.quotas.upsert(manifest(version=2))
    assert caches.membership() is before
    caches.quotas.upsert(manifest(cpu=2, version=3))
    assert caches.membership() is not before


def test_many_changes_at_once_and_one_by_one_give_the_same_forest() -> None:
    at_once, one_by_one = Caches(ACCOUNTING), Caches(ACCOUNTING)
    for number in range(60):
        above = f"q{number // 3}" if number > 2 else ""
        made = quota(f"q{number}", {"cpu": 100 - number}, parent=above, is_parent="true")
        for caches in (at_once, one_by_one):
            caches.quotas.upsert(msgspec.convert(made, QuotaManifest))
        one_by_one.membership()
    assert one_by_one.membership() == at_once.membership()
