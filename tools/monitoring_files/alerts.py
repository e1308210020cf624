"""The fifteen alerts: when they fire, and for how long that must hold.

Each has a section in docs/runbooks/README.md by its name. No alert fires because one replica
restarts.
"""

import html
from typing import Any, Final, NamedTuple


class Alert(NamedTuple):
    """An alert as users know it."""

    name: str
    expression: str
    lasts: str
    """For how long the expression must hold before it fires."""
    severity: str
    """critical: quotas do not work now; warning: they do not work as the administrator meant."""
    summary: str


ALERTS: Final = (
    Alert(
        "ElasticQuotaNoLeader",
        "(sum(elasticquota_leader) or vector(0)) < 1",
        "2m",
        "critical",
        "No controller leads: no pod is admitted and nothing is reclaimed.",
    ),
    Alert(
        "ElasticQuotaDecisionsFail",
        "increase(elasticquota_decide_failures_total[5m]) > 0",
        "1m",
        "critical",
        "Decisions raise errors in {{ $labels.instance }}: a bug.",
    ),
    Alert(
        "ElasticQuotaApiErrors",
        'sum by (verb, resource) (rate(elasticquota_api_calls_total{code=~"0|401|403|5.."}[5m]))'
        " / sum by (verb, resource) (rate(elasticquota_api_calls_total[5m])) > 0.1",
        "10m",
        "warning",
        "{{ $value | humanizePercentage }} of {{ $labels.verb }} {{ $labels.resource }} fail.",
    ),
    Alert(
        "ElasticQuotaConfigInvalid",
        'min by (instance) ({__name__=~"elasticquota_(webhook_)?config_valid"}) == 0',
        "5m",
        "warning",
        "The configuration file of {{ $labels.instance }} is broken; the next start will fail.",
    ),
    Alert(
        "ElasticQuotaPolicyMissing",
        "max by (kind, name) (elasticquota_policy_missing) > 0",
        "5m",
        "warning",
        "{{ $labels.kind }} {{ $labels.name }} is gone, or does less than the release made it for.",
    ),
    Alert(
        "ElasticQuotaDefinitionUnread",
        "max by (definition) (elasticquota_definition_unread) > 0",
        "5m",
        "warning",
        "{{ $labels.definition }} is served in no version that the controller reads.",
    ),
    Alert(
        "ElasticQuotaDefinitionReplaced",
        "max by (definition) (elasticquota_definition_dropped_fields) > 0",
        "5m",
        "warning",
        "{{ $labels.definition }} is not that of this version; fields that are dropped: "
        "{{ $value }}.",
    ),
    Alert(
        "ElasticQuotaObjectsUnreadable",
        "sum by (resource) (increase("
        '{__name__=~"elasticquota_(webhook_)?unreadable_objects_total"}[15m])) > 0',
        "0m",
        "warning",
        "Some {{ $labels.resource }} cannot be read; their last good state stays in force.",
    ),
    Alert(
        "ElasticQuotaPodsWaitLong",
        "elasticquota_oldest_pending_seconds > 14400",
        "10m",
        "warning",
        "A pod of quota {{ $labels.quota }} waits for {{ $value | humanizeDuration }}.",
    ),
    Alert(
        "ElasticQuotaGuaranteeNotBacked",
        "elasticquota_guarantee_cover_ratio < 1",
        "15m",
        "warning",
        "The nodes of {{ $labels.tree }} offer {{ $value | humanizePercentage }} of the "
        "{{ $labels.resource }} that its quotas are guaranteed.",
    ),
    Alert(
        "ElasticQuotaReclaimStalled",
        'sum by (quota) (elasticquota_pending_pods{reason="WaitingForReclaim"}) > 0',
        "15m",
        "warning",
        "Quota {{ $labels.quota }} waits for room that it is owed.",
    ),
    Alert(
        "ElasticQuotaEvictionsHeld",
        "elasticquota_evictions_held > 0",
        "5m",
        "warning",
        "The breaker holds back {{ $value }} evictions in {{ $labels.tree }}.",
    ),
    Alert(
        "ElasticQuotaEvictionsBlocked",
        "sum by (quota, answer) (increase(elasticquota_reclaim_evictions_total"
        '{answer=~"Blocked|AmbiguousBudgets|Refused"}[10m])) > 0',
        "10m",
        "warning",
        "Evictions from quota {{ $labels.quota }} are refused: {{ $labels.answer }}.",
    ),
    Alert(
        "ElasticQuotaWebhookErrors",
        'sum(rate(elasticquota_webhook_reviews_total{code=~"5.."}[5m])) > 0',
        "5m",
        "critical",
        "The webhook cannot judge requests.",
    ),
    Alert(
        "ElasticQuotaCertificateExpires",
        "min(elasticquota_webhook_certificate_expiry_timestamp_seconds) - time() < 86400",
        "10m",
        "critical",
        "The webhook's certificate expires in {{ $value | humanizeDuration }}.",
    ),
)


def groups() -> dict[str, Any]:
    """The document of rules; ``RUNBOOKS/`` is replaced by the chart."""
    rules = [
        {
            "alert": each.name,
            "expr": each.expression,
            "for": each.lasts,
            "labels": {"severity": each.severity},
            "annotations": {
                "summary": each.summary,
                "runbook_url": f"RUNBOOKS/README.md#{each.name.lower()}",
            },
        }
        for each in ALERTS
    ]
    return {"groups": [{"name": "elastic-quota", "rules": rules}]}


_BEGIN: Final = "<!-- The table is written by tools/monitoring_files: make reference -->\n"
_END: Final = "<!-- end of the table -->"


def index(page: str) -> str:
    """``page``, which has all runbooks, with its table written again."""
    before, _, rest = page.partition(_BEGIN)
    rows = (
        f"| [{each.name}](#{each.name.lower()}) | {each.severity} | "
        f"<code>{html.escape(each.expression).replace('|', '&#124;')}</code> | {each.lasts} |\n"
        for each in ALERTS
    )
    table = "| alert | severity | fires when | for |\n|---|---|---|---|\n" + "".join(rows)
    return f"{before}{_BEGIN}\n{table}\n{_END}{rest.partition(_END)[2]}"
