"""The rulebook: pure values and functions, shared by the controller, the webhook and the CLI.

Rooms, lowest first: ``names``, ``quantity``, ``resources``, ``model``, ``forest``, ``sharing``,
``ledger``, then ``rules``, ``defaults`` and ``enforcement`` beside each other, and ``wire`` on top.
"""
