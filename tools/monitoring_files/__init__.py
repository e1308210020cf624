"""Writes dashboards and the table of alerts: ``python -m monitoring_files``.

``dashboards`` says what there is, ``panels`` what a panel of Grafana looks like. A test keeps the
files equal to what this writes.
"""
