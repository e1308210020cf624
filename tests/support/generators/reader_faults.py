"""What the readers of the product find wrong with an object, as the API server sends it."""

from typing import Any

import msgspec

from elasticquota.forest import nearest_names
from elasticquota.forest.nearest_names import Kind as Written
from elasticquota.wire.codec.metadata import SpecManifest
from elasticquota.wire.quota import profiles, quotas
from elasticquota_api import ElasticQuota
from elasticquota_api.model import KubernetesObject


def of(kind: type[KubernetesObject], manifest: Any) -> tuple[str, ...]:
    """Faults and warnings, each with its path; of unknown fields of the spec, the first three."""
    body = msgspec.json.encode(manifest)
    found: SpecManifest
    written: Written
    if kind is ElasticQuota:
        written = "quota"
        found = stored = msgspec.json.decode(body, type=quotas.QuotaManifest)
        quota = quotas.read(stored)
        faults = quota.faults + quota.warnings
    else:
        written = "profile"
        found = profile = msgspec.json.decode(body, type=profiles.ProfileManifest)
        faults = profiles.read(profile).faults
    known = nearest_names.of_fields(written, found.spec)
    return (*map(str, faults), *known)
