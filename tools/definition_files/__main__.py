"""Write the definitions: ``make crds``."""

from definition_files import files


for path, text in files.written().items():
    (files.ROOT / path).write_text(text, encoding="utf-8")
