"""``python -m reference_pages``: write all of them."""

from reference_pages import catalog


for name, text in catalog.pages().items():
    (catalog.FOLDER / name).write_text(text, encoding="utf-8")
