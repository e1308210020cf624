"""Rows of a report: figures in accounting units become quantities."""

from elasticquota import quantity
from elasticquota.model.quota import Figures
from elasticquota.resources import Resources
from elasticquota.wire.codec import figures
from elasticquota_cli.why.parts import report
from elasticquota_cli.why.parts.step import PathStep


def step_of(step: PathStep) -> report.PathRow:
    """The sum for the report, as quantities."""
    high = step.max
    if high is not None and figures.boundless(step.key, high):
        high = None
    return report.PathRow(
        quota=step.quota,
        resource=step.key,
        admitted=quantity.text(step.key, step.admitted),
        asked=quantity.text(step.key, step.asked),
        runtime=None if step.limit is None else quantity.text(step.key, step.limit),
        fits=not step.missing,
        min=quantity.text(step.key, step.min),
        max=None if high is None else quantity.text(step.key, high),
        parents_own_pods=step.itself,
    )


def figures_of(
    key: str, low: Resources, high: Resources, found: Figures, weight: str | None = None
) -> report.FigureRow:
    """The row of one resource: min, max and the other figures as quantities."""
    most, runtime = high.get(key), found.runtime.get(key)
    return report.FigureRow(
        resource=key,
        min=quantity.text(key, low.get(key, 0)),
        max=None if most is None or figures.boundless(key, most) else quantity.text(key, most),
        weight=weight,
        request=quantity.text(key, found.request.get(key, 0)),
        used=quantity.text(key, found.used.get(key, 0)),
        admitted=quantity.text(key, found.admitted.get(key, 0)),
        runtime=None if runtime is None else quantity.text(key, runtime),
    )
