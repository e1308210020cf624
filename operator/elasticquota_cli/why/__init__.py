"""``why``, and its alias ``explain``: the one answer about a pod, a workload, a job or a quota.

``subject`` reads what is meant. ``computed`` decides on all objects, of a cluster or of files;
``published`` reads what the controller has written, for who may read no more or needs no more. Both
make ``Known``, of which ``answer`` makes the ``report.WhyAnswer`` that ``show`` prints.
"""
