"""The core: pure values and functions, shared by the controller, the webhook and the CLI.

It does no I/O, reads no clock and uses integers only. The packages, lowest first: ``names``,
``quantity``, ``resources``, ``totals``, ``model``, ``forest``, ``sharing``, ``ledger``; then
``validation``, ``defaulting`` and ``scheduling`` side by side; then ``wire``; ``integrations`` and
``jobs`` on top. The import contracts of pyproject.toml enforce the order.
"""
