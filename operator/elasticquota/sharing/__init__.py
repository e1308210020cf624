"""The arithmetic of sharing: from requests and capacity to the runtime of every quota.

In: a tree, requests and usage as integers, and the capacity of the tree. Out: runtime per quota and
resource. Start with ``level``, the fair rule among siblings. ``solver`` applies it to a whole tree,
``runtime`` keeps one solver per resource, ``profile_nodes`` and ``node_sums`` say what the nodes of
a tree offer.
"""
