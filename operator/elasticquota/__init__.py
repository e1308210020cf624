"""The core: pure values and functions, shared by the controller, the webhook and the CLI.

It does no I/O, reads no clock and uses integers only. Packages, lowest first: ``names``,
``quantity``, ``resources``, ``model``, ``forest``, ``sharing``, ``ledger``; then ``validation``,
``defaulting`` and ``scheduling`` beside each other; ``wire``; ``integrations`` and ``jobs`` on top.
The import contracts of pyproject.toml enforce the order.
"""
