"""Stand-ins for the operators of job kinds, which behave as their documentation says, or do not.

The definitions have just the fields that matter here; the objects, the pods and who deletes what is
owned are real. Each looks at all of its jobs again and again, so it may be stopped and started.
"""
