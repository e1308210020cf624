"""Small worlds: a few quotas, two nodes and up to five pods, each run to rest through ``decide``.

``description`` says what a world is, ``families`` what is chosen in it, ``enumeration`` makes one
for each index, those that are ``wanted``, and ``how_many`` counts them. ``world`` runs one with a
simulated scheduler and simulated kubelets, from the ``objects`` of the API server; what a world has
in common with the one before is in a ``recording``. ``oracles`` judge it by ``sums`` over its
objects, and ``trial`` does all of it for one index after the other.
``python -m small_worlds --help`` runs as many as asked for.
"""
