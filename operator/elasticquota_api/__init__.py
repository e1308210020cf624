"""The one definition of our four kinds: fields, bounds, sentences and rules, as pydantic models.

``make crds`` writes the definitions from them. For programs that make quotas there is the extra
``elastic-quota-operator[api]``; controller, webhook and command line do not import this package.
"""

from elasticquota_api.elastic_quota import ElasticQuota, QuotaSpec
from elasticquota_api.elastic_quota_status import QuotaStatus
from elasticquota_api.model import Metadata
from elasticquota_api.profile import (
    ElasticQuotaProfile,
    NodeSelector,
    ProfileSpec,
    ProfileStatus,
    Provisioning,
)
from elasticquota_api.queue import Queue, QueueSpec, QueueStatus
from elasticquota_api.queue_unit import QueueUnit, QueueUnitSpec, QueueUnitStatus
from elasticquota_api.tree_settings import Capacity, Pool, TreeSettings


__all__ = [
    "Capacity",
    "ElasticQuota",
    "ElasticQuotaProfile",
    "Metadata",
    "NodeSelector",
    "Pool",
    "ProfileSpec",
    "ProfileStatus",
    "Provisioning",
    "Queue",
    "QueueSpec",
    "QueueStatus",
    "QueueUnit",
    "QueueUnitSpec",
    "QueueUnitStatus",
    "QuotaSpec",
    "QuotaStatus",
    "TreeSettings",
]
