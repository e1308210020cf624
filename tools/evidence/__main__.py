"""``python -m evidence``: write the pages of docs/evidence that are made from the code."""

from pathlib import Path

from evidence import behaviors, breaks, imports, picture, structure


ROOT = Path(__file__).parents[2]

(ROOT / behaviors.PAGE).write_text(behaviors.page(ROOT), encoding="utf-8")
(ROOT / breaks.PAGE).write_text(breaks.page(ROOT), encoding="utf-8")
page = (ROOT / structure.PAGE).read_text(encoding="utf-8")
(ROOT / structure.PAGE).write_text(structure.written(page, ROOT), encoding="utf-8")
drawn = picture.draw(imports.read(ROOT), "Now").svg()
(ROOT / structure.NOW).write_text(drawn, encoding="utf-8")
