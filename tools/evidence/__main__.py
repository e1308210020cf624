"""``python -m evidence``: write docs/evidence/seeds.md."""

from pathlib import Path

from evidence import breaks


ROOT = Path(__file__).parents[2]

(ROOT / breaks.PAGE).write_text(breaks.page(ROOT), encoding="utf-8")
