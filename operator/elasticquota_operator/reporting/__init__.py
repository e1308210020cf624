"""Events on waiting pods and jobs, on the objects that own pods, and on quotas."""
