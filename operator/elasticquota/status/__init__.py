"""What is published of a cycle: statuses and conditions of quotas, and messages of pods.

In: the results of a cycle, which have reasons and figures and no sentences. Out: values that the
controller's writers compare with the API server.
"""
