"""Event worlds: quotas, nodes and up to forty events, played in virtual time and then at rest.

``description`` says what a world and an event are, ``generation`` makes a world from a seed,
``play`` plays it on a ``virtual_cluster``, ``sums`` adds up what is there, ``oracles`` judge it at
each decision and at rest, and ``trial`` does all of it and makes a failing world smaller.
``python -m event_worlds --help`` runs as many as asked for.
"""
