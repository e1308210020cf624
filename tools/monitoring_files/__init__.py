"""Writes the alerts and dashboards of the chart from code: ``python -m monitoring_files``.

``alerts`` and ``dashboards`` say what there is, ``panels`` what a panel of Grafana looks like. A
test keeps the chart's files equal to what this writes.
"""
