"""Simulated operators of job kinds, which behave as their documentation says, or deliberately do
not.

The definitions have just the fields that matter here; the objects, the pods and the garbage
collection are real. Each operator looks at all of its jobs again and again, so it may be stopped
and started.
"""
