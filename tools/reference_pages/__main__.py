"""``python -m reference_pages``: write all of them, and the tables in pages written by hand."""

import rule_index
from reference_pages import (
    alerts,
    catalog,
    chart_schema,
    configuration,
    reasons,
    report_schemas,
    values,
)


for path, write in (
    (chart_schema.SCHEMA, chart_schema.written),
    (values.README, values.readme),
    (configuration.PAGE, configuration.written),
    (rule_index.README, rule_index.written),
    (alerts.PAGE, alerts.written),
    (reasons.PAGE, reasons.written),
):
    path.write_text(write(path.read_text(encoding="utf-8")), encoding="utf-8")
for name, text in report_schemas.files().items():
    (report_schemas.FOLDER / name).write_text(text, encoding="utf-8")
for name, text in catalog.pages().items():
    (catalog.FOLDER / name).write_text(text, encoding="utf-8")
