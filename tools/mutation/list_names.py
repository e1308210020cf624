"""Writes all mutants into mutmut's tree and prints their names, one a line.

Run by mutmut's own Python, because ``mutmut`` itself names them only after it tried them. It
writes again those of changed files.
"""

import contextlib
import io
from pathlib import Path

from mutmut.__main__ import collect_source_file_mutation_data, create_mutants
from mutmut.utils.file_utils import copy_also_copy_files, copy_src_dir


with contextlib.redirect_stdout(io.StringIO()):
    Path("mutants").mkdir(exist_ok=True)
    copy_src_dir()
    copy_also_copy_files()
    create_mutants(max_children=1)
mutants, _ = collect_source_file_mutation_data(mutant_names=())
print("\n".join(sorted(name for _, name, _ in mutants)))
