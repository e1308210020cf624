"""Panels of Grafana as plain documents: only what differs from Grafana's defaults."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple


Document = dict[str, Any]

_SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
_COLUMNS: Final = 24


class Panel(NamedTuple):
    """One graph, number or table; ``queries`` are PromQL by legend."""

    title: str
    queries: Mapping[str, str]
    unit: str = "short"
    kind: str = "timeseries"
    width: int = 12
    height: int = 8


class Variable(NamedTuple):
    """A choice at the top of a dashboard: the values of one label."""

    label: str
    series: str


class Dashboard(NamedTuple):
    """A dashboard: its uid is the name of its file."""

    uid: str
    title: str
    panels: Sequence[Panel]
    variables: Sequence[Variable] = ()


def document(dashboard: Dashboard) -> Document:
    """The JSON model of Grafana 10 and newer (schema version 39)."""
    panels: list[Document] = []
    x = y = line = 0
    for number, panel in enumerate(dashboard.panels, start=1):
        if x + panel.width > _COLUMNS:
            x, y, line = 0, y + line, 0
        panels.append(_panel(number, panel, x, y))
        x, line = x + panel.width, max(line, panel.height)
    return {
        "uid": dashboard.uid,
        "title": dashboard.title,
        "tags": ["elastic-quota"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "links": [_LINK],
        "annotations": {"list": []},
        "templating": {"list": [_DATASOURCE, *map(_variable, dashboard.variables)]},
        "panels": panels,
    }


def _panel(number: int, panel: Panel, x: int, y: int) -> Document:
    return {
        "id": number,
        "title": panel.title,
        "type": panel.kind,
        "datasource": _SOURCE,
        "gridPos": {"x": x, "y": y, "w": panel.width, "h": panel.height},
        "fieldConfig": {"defaults": {"unit": panel.unit}, "overrides": []},
        "targets": [
            {
                "refId": chr(ord("A") + place),
                "datasource": _SOURCE,
                "expr": query,
                "legendFormat": legend,
                **({"format": "table", "instant": True} if panel.kind == "table" else {}),
            }
            for place, (legend, query) in enumerate(panel.queries.items())
        ],
    }


def _variable(variable: Variable) -> Document:
    query = f"label_values({variable.series}, {variable.label})"
    return {
        "name": variable.label,
        "type": "query",
        "datasource": _SOURCE,
        "definition": query,
        "query": {"query": query, "refId": "Variable"},
        "includeAll": True,
        "allValue": ".+",
        "multi": True,
        "refresh": 2,
        "sort": 1,
        "current": {"text": "All", "value": "$__all"},
    }


_DATASOURCE: Final[Document] = {
    "name": "datasource",
    "type": "datasource",
    "query": "prometheus",
    "label": "Prometheus",
}
_LINK: Final[Document] = {
    "title": "Elastic quotas",
    "type": "dashboards",
    "icon": "external link",
    "tooltip": "The other dashboards of elastic quotas",
    "tags": ["elastic-quota"],
    "asDropdown": True,
    "targetBlank": False,
    "includeVars": False,
    "keepTime": True,
}
