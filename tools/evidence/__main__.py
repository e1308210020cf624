"""``python -m evidence``: write the pages of docs/evidence that are made from the code."""

from pathlib import Path

from evidence import behaviors


ROOT = Path(__file__).parents[2]

(ROOT / behaviors.PAGE).write_text(behaviors.page(ROOT), encoding="utf-8")
