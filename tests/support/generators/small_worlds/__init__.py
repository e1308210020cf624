"""Small worlds: a few quotas, two nodes and up to five pods, each run to rest through ``decide``.

``description`` says what a world is, ``enumeration`` makes one for each index, ``world`` runs it
with a simulated scheduler and simulated kubelets, ``oracles`` judge it by sums over its objects,
``figures`` count what the worlds contain, and ``trial`` does all of it for one index.
``python -m small_worlds --help`` runs as many as asked for.
"""
