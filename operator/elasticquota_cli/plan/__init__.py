"""``plan``: what an edit or a new workload would do to a cluster, before it is applied.

`live` reads the cluster as objects of a simulation, `assessment` tries the change on them,
`published` answers users who may not read everything; `show_text` and `show_markdown` print the
``report``.
"""
