"""The webhook as Kopf's admission handlers: ``make dev`` serves it from the operator's process.

``kopf run -m elasticquota_operator.handlers -m elasticquota_webhooks.kopf_handlers`` is the whole
operator. Each handler passes its review to the one that the product's webhook calls (``routes``).
It serves what the chart serves by default: nothing of external systems.

For development only. When Kopf ends, it empties its webhook configurations, so with a second
replica every update of a Deployment would switch admission off. It cannot leave namespaces out. It
keeps memory for each object whose UPDATE it has reviewed.
"""

from typing import Any, Final

import kopf

from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource
from elasticquota_webhooks.kopf_admission import KopfAdmission


CONFIGURATIONS: Final = "dev.elasticquota.dev"
"""The name of both webhook configurations, which Kopf creates."""


def _of(resource: Resource) -> tuple[str, str, str]:
    return resource.group, resource.version, resource.plural


@kopf.on.startup(errors=kopf.ErrorsMode.PERMANENT)
async def serve_admission(settings: kopf.OperatorSettings, memo: kopf.Memo, **_: Any) -> None:
    """Fill the webhook's caches; then Kopf listens, and says so to the API server."""
    memo.admission = KopfAdmission()
    await memo.admission.start()
    settings.admission.server = memo.admission.server()
    settings.admission.managed = CONFIGURATIONS


@kopf.on.mutate(*_of(paths.QUOTAS), operations=["CREATE", "UPDATE"])
async def default_quota(memo: kopf.Memo, **request: Any) -> None:
    """ElasticQuota: parent and tree id, and the keys that follow fields."""
    await memo.admission.answer("/mutate/elasticquota", request)


@kopf.on.validate(*_of(paths.QUOTAS), operations=["CREATE", "UPDATE", "DELETE"])
async def judge_quota(memo: kopf.Memo, **request: Any) -> None:
    """ElasticQuota: all rules of docs/rules."""
    await memo.admission.answer("/validate/elasticquota", request)


@kopf.on.mutate(*_of(paths.PROFILES), operations=["CREATE", "UPDATE"])
async def default_profile(memo: kopf.Memo, **request: Any) -> None:
    """ElasticQuotaProfile: the key that follows a field."""
    await memo.admission.answer("/mutate/profile", request)


@kopf.on.validate(*_of(paths.PROFILES), operations=["CREATE", "UPDATE", "DELETE"])
async def judge_profile(memo: kopf.Memo, **request: Any) -> None:
    """ElasticQuotaProfile: all rules of docs/rules."""
    await memo.admission.answer("/validate/profile", request)


@kopf.on.mutate(*_of(paths.PODS), operations=["CREATE"], ignore_failures=True)
async def default_pod(memo: kopf.Memo, **request: Any) -> None:
    """Pod: label, gate, and the nodes of its tree."""
    await memo.admission.answer("/mutate/pod", request)


@kopf.on.validate(*_of(paths.PODS), operations=["UPDATE"], ignore_failures=True)
async def judge_pod(memo: kopf.Memo, **request: Any) -> None:
    """Pod: one at the gate that gets another quota."""
    await memo.admission.answer("/validate/pod", request)


@kopf.on.validate(
    *_of(paths.PODS), operations=["UPDATE"], subresource="resize", ignore_failures=True
)
async def judge_resize(memo: kopf.Memo, **request: Any) -> None:
    """Pod: one that grows while it runs."""
    await memo.admission.answer("/validate/resize", request)


@kopf.on.validate(*_of(paths.PODS), operations=["CREATE"], ignore_failures=True, id="dry_run_pod")
@kopf.on.validate("apps", "v1", "deployments", operations=["CREATE"], ignore_failures=True)
@kopf.on.validate(
    "apps", "v1", "statefulsets", operations=["CREATE"], ignore_failures=True, id="dry_run_set"
)
@kopf.on.validate(
    "batch", "v1", "jobs", operations=["CREATE"], ignore_failures=True, id="dry_run_job"
)
async def dry_run(memo: kopf.Memo, **request: Any) -> None:
    """Pods and what makes them: what would become of them, in a dry run only."""
    if request["dryrun"]:
        await memo.admission.answer("/validate/dry-run", request)


@kopf.on.validate(*_of(paths.NAMESPACES), operations=["CREATE", "UPDATE"], ignore_failures=True)
async def warn_of_keys(memo: kopf.Memo, **request: Any) -> None:
    """Namespace: warnings of keys that are passed over."""
    await memo.admission.answer("/validate/keys", request)


@kopf.on.cleanup()
async def end_admission(memo: kopf.Memo, **_: Any) -> None:
    """End the webhook's watches."""
    if "admission" in memo:
        await memo.admission.stop()
