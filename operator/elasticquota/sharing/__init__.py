"""The arithmetic of sharing: from requests and capacity to the runtime of every quota.

In: a tree, requests and usage as integers, the capacity of the tree. Out: runtime per quota and
resource. ``level`` is the fair rule among siblings, ``solver`` applies it to a whole tree,
``runtime`` keeps one solver per resource.
"""
