"""The four dashboards: the fleet, one quota, reclaim, and the operator itself."""

from typing import Final

from monitoring_files.panels import Dashboard, Panel, Variable


_FIGURE: Final = 'elasticquota_quota{{field="{field}",{where}}}'
_OF_ROOT: Final = 'tree=~"$tree",resource=~"$resource"'
_OF_QUOTA: Final = 'quota=~"$quota",resource=~"$resource"'


def _figures(where: str, *fields: str) -> dict[str, str]:
    by = "sum by (quota, resource) (" if "quota" in where else "sum by (tree, resource) ("
    name = "{{quota}}" if "quota" in where else "{{tree}}"
    return {
        f"{name} {{{{resource}}}} {field}": f"{by}{_FIGURE.format(field=field, where=where)})"
        for field in fields
    }


def _quantile(family: str, quantile: float, by: str = "le", where: str = "") -> str:
    return (
        f"histogram_quantile({quantile}, sum by ({by}) "
        f"(rate({family}_bucket{where}[$__rate_interval])))"
    )


FLEET: Final = Dashboard(
    "elastic-quota-fleet",
    "Elastic quotas: fleet",
    (
        Panel("Leaders", {"": "sum(elasticquota_leader)"}, kind="stat", width=6, height=4),
        Panel(
            "Pods that wait",
            {"": "sum(elasticquota_pending_pods) or vector(0)"},
            kind="stat",
            width=6,
            height=4,
        ),
        Panel(
            "Oldest that waits",
            {"": "max(elasticquota_oldest_pending_seconds) or vector(0)"},
            "s",
            "stat",
            6,
            4,
        ),
        Panel(
            "Evictions in an hour",
            {"": "sum(increase(elasticquota_evictions_total[1h])) or vector(0)"},
            kind="stat",
            width=6,
            height=4,
        ),
        Panel(
            "Capacity of trees",
            {
                "{{profile}} {{resource}} {{field}}": "sum by (profile, resource, field) "
                '(elasticquota_tree{resource=~"$resource"})'
            },
        ),
        Panel(
            "Guarantees that nodes back",
            {"{{tree}} {{resource}}": f"elasticquota_guarantee_cover_ratio{{{_OF_ROOT}}}"},
            "percentunit",
        ),
        Panel("Borrowed", _figures(_OF_ROOT, "borrowed")),
        Panel("Lent", _figures(_OF_ROOT, "lent")),
        Panel(
            "Pods that wait, by reason",
            {"{{reason}}": "sum by (reason) (elasticquota_pending_pods)"},
        ),
        Panel(
            "Admitted in a second",
            {
                "{{quota}}": "topk(20, sum by (quota) "
                "(rate(elasticquota_admitted_total[$__rate_interval])))"
            },
            "ops",
        ),
    ),
    (Variable("tree", "elasticquota_quota"), Variable("resource", "elasticquota_quota")),
)

QUOTA: Final = Dashboard(
    "elastic-quota-quota",
    "Elastic quotas: quota",
    (
        Panel(
            "Guarantee, share and use",
            _figures(_OF_QUOTA, "min", "runtime", "used", "request"),
            width=24,
        ),
        Panel("Borrowed and lent", _figures(_OF_QUOTA, "borrowed", "lent")),
        Panel(
            "Resource-hours borrowed and lent in a day",
            {
                "{{quota}} {{resource}} borrowed": "sum by (quota, resource) (increase("
                f"elasticquota_borrowed_resource_seconds_total{{{_OF_QUOTA}}}[1d])) / 3600",
                "{{quota}} {{resource}} lent": "sum by (quota, resource) (increase("
                f"elasticquota_lent_resource_seconds_total{{{_OF_QUOTA}}}[1d])) / 3600",
            },
        ),
        Panel(
            "Pods that wait",
            {
                "{{quota}} {{reason}}": "sum by (quota, reason) "
                '(elasticquota_pending_pods{quota=~"$quota"})'
            },
        ),
        Panel(
            "Oldest that waits",
            {"{{quota}}": 'elasticquota_oldest_pending_seconds{quota=~"$quota"}'},
            "s",
        ),
        Panel(
            "Wait until admission",
            {
                f"{{{{quota}}}} {label}": _quantile(
                    "elasticquota_admission_wait_seconds",
                    quantile,
                    "le, quota",
                    '{quota=~"$quota"}',
                )
                for label, quantile in (("half", 0.5), ("95%", 0.95))
            },
            "s",
        ),
        Panel(
            "Admitted in a second",
            {
                "{{quota}}": "sum by (quota) (rate(elasticquota_admitted_total"
                '{quota=~"$quota"}[$__rate_interval]))'
            },
            "ops",
        ),
    ),
    (Variable("quota", "elasticquota_quota"), Variable("resource", "elasticquota_quota")),
)

RECLAIM: Final = Dashboard(
    "elastic-quota-reclaim",
    "Elastic quotas: reclaim",
    (
        Panel(
            "Who took from whom, since the leader started",
            {"": "sum by (from_quota, for_quota, reason) (elasticquota_evictions_total)"},
            kind="table",
            width=24,
        ),
        Panel(
            "Evictions in a second, by right",
            {
                "{{reason}}": "sum by (reason) "
                "(rate(elasticquota_evictions_total[$__rate_interval]))"
            },
            "ops",
        ),
        Panel(
            "Answers to evictions",
            {
                "{{quota}} {{answer}}": "sum by (quota, answer) "
                "(rate(elasticquota_reclaim_evictions_total[$__rate_interval]))"
            },
            "ops",
        ),
        Panel(
            "Waiting for reclaim",
            {
                "{{quota}}": "sum by (quota) "
                '(elasticquota_pending_pods{reason="WaitingForReclaim"}) or vector(0)'
            },
        ),
        Panel(
            "Evictions that the breaker holds back",
            {"{{tree}}": "elasticquota_evictions_held or vector(0)"},
        ),
        Panel(
            "Observe mode: would wait",
            {"{{quota}} {{reason}}": "elasticquota_would_wait_pods or vector(0)"},
        ),
        Panel(
            "Observe mode: would be evicted",
            {"{{quota}}": "elasticquota_would_reclaim_pods or vector(0)"},
        ),
    ),
)

OPERATOR: Final = Dashboard(
    "elastic-quota-operator",
    "Elastic quotas: operator",
    (
        Panel("Leader", {"{{instance}}": "elasticquota_leader"}),
        Panel(
            "Time of a decision",
            {
                "half": _quantile("elasticquota_decide_seconds", 0.5),
                "99%": _quantile("elasticquota_decide_seconds", 0.99),
            },
            "s",
        ),
        Panel(
            "Calls to the API server",
            {
                "{{verb}} {{resource}} {{code}}": "sum by (verb, resource, code) "
                "(rate(elasticquota_api_calls_total[$__rate_interval]))"
            },
            "ops",
        ),
        Panel(
            "Time of a call, 99%",
            {
                "{{verb}} {{resource}}": _quantile(
                    "elasticquota_api_call_seconds", 0.99, "le, verb, resource"
                )
            },
            "s",
        ),
        Panel(
            "Reviews of the webhook",
            {
                "{{kind}} {{code}}": "sum by (kind, code) "
                "(rate(elasticquota_webhook_reviews_total[$__rate_interval]))"
            },
            "ops",
        ),
        Panel(
            "Time of a review, 99%",
            {"{{kind}}": _quantile("elasticquota_webhook_review_seconds", 0.99, "le, kind")},
            "s",
        ),
        Panel(
            "Certificate expires in",
            {"{{instance}}": "elasticquota_webhook_certificate_expiry_timestamp_seconds - time()"},
            "s",
            "stat",
        ),
        Panel(
            "Configuration in force",
            {"{{instance}} {{__name__}}": '{__name__=~"elasticquota_(webhook_)?config_valid"}'},
        ),
        Panel(
            "Failures",
            {
                "decisions": "sum(increase(elasticquota_decide_failures_total[$__rate_interval]))",
                "watches": "sum(increase("
                "elasticquota_watch_restarts_total[$__rate_interval])) or vector(0)",
                "unreadable objects": "sum(increase("
                "elasticquota_unreadable_objects_total[$__rate_interval]))",
                "unread definitions": "sum(max by (definition) (elasticquota_definition_unread))",
                "dropped fields": "sum(max by (definition) "
                "(elasticquota_definition_dropped_fields))",
            },
        ),
        Panel(
            "Events",
            {"{{fate}}": "sum by (fate) (rate(elasticquota_events_total[$__rate_interval]))"},
            "ops",
        ),
    ),
)

DASHBOARDS: Final = (FLEET, QUOTA, RECLAIM, OPERATOR)
