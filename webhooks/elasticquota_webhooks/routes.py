"""The table of contents of the webhook: each path, and the handler that answers its reviews."""

from elasticquota_config.model import Configuration
from elasticquota_kube.client.api import Api
from elasticquota_webhooks.cache.caches import Caches
from elasticquota_webhooks.cache.live_capacity_quotas import LiveCapacityQuotas
from elasticquota_webhooks.cache.live_nodes import LiveNodes
from elasticquota_webhooks.cache.live_placing import LivePlacing
from elasticquota_webhooks.cache.live_pods import LivePods
from elasticquota_webhooks.cache.live_quotas import LiveQuotas
from elasticquota_webhooks.handlers import passed_over, workload_admission
from elasticquota_webhooks.handlers.dry_run import DryRun
from elasticquota_webhooks.handlers.integrations import queue_admission
from elasticquota_webhooks.handlers.integrations.capacity_admission import CapacityAdmission
from elasticquota_webhooks.handlers.integrations.job_admission import JobAdmission
from elasticquota_webhooks.handlers.integrations.queue_admission import QueueAdmission
from elasticquota_webhooks.handlers.integrations.tree_admission import TreeAdmission
from elasticquota_webhooks.handlers.pod_admission import PodAdmission
from elasticquota_webhooks.handlers.profile_admission import ProfileAdmission
from elasticquota_webhooks.handlers.quota_admission import QuotaAdmission
from elasticquota_webhooks.handlers.resize_admission import ResizeAdmission
from elasticquota_webhooks.reviews.metrics import Metrics
from elasticquota_webhooks.reviews.reviews import Decide, Reviews


def table(
    caches: Caches,
    live_quotas: LiveQuotas,
    api: Api,
    configuration: Configuration,
    metrics: Metrics,
) -> dict[str, Reviews]:
    """The handler of each path, without the token before it (``webhook_paths``)."""
    validation = configuration.validation()
    quotas = QuotaAdmission(
        caches,
        live_quotas,
        LivePods(api),
        LivePlacing(api),
        configuration.controller_user,
        validation,
        configuration.policy(),
    )
    profiles = ProfileAdmission(caches, live_quotas, LiveNodes(api), validation)
    dialects = configuration.dialects
    pods = PodAdmission(
        caches,
        validation,
        configuration.controller_user,
        aliases=dialects.ack or dialects.jobs,
        replaced_schedulers=dialects.replaced_schedulers(),
        refuses_at_creation=configuration.admission.refuse_at_creation,
    )
    jobs = JobAdmission(caches, configuration.adapters(), validation)
    resizes = ResizeAdmission(caches, validation)
    capacity = CapacityAdmission(LiveCapacityQuotas(api))
    dry_runs = DryRun(caches, validation, configuration.policy())
    queues = QueueAdmission(places_pods=configuration.pod_admission == "webhook")
    handlers: dict[str, Decide] = {
        "/mutate/elasticquota": quotas.default,
        "/validate/elasticquota": quotas.validate,
        "/mutate/profile": profiles.default,
        "/validate/profile": profiles.validate,
        "/mutate/pod": pods.default,
        "/validate/pod": pods.validate,
        "/validate/dry-run": dry_runs.validate,
        "/validate/keys": passed_over.validate,
        "/validate/capacity": capacity.validate,
        "/mutate/job": jobs.default,
        "/validate/tree": TreeAdmission(api).validate,
        "/validate/queues": queues.validate,
        "/validate/namespace": queue_admission.validate_namespace,
        "/mutate/workload": workload_admission.default,
        "/validate/resize": resizes.validate,
    }
    return {
        path: Reviews(path.removeprefix("/").replace("/", "-"), decide, metrics)
        for path, decide in handlers.items()
    }
