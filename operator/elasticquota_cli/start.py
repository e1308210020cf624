"""The console scripts.

Python's garbage collector does not run. While modules are loaded it would find nothing, and take
a tenth of the time of a short command; a command ends before a search would pay, which takes up to
a third of the time among the objects of a large cluster. A process of the operator does search
(``run``).
"""

import gc


def main() -> int:
    """Run the command line; returns the exit code."""
    gc.disable()
    from elasticquota_cli import main as command_line  # noqa: PLC0415 - loaded after the line above

    return command_line.main()
