"""What is published: status of quotas and profiles, root quotas, labels, and messages.

In: the results of a cycle. Out: values that the controller's writers compare with the API server.
"""
