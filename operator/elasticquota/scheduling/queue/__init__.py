"""The waiting pods of each quota: their order, and which of them are inadmissible for now.

In: pending pods of one quota. Out: the next pod or pod group to consider, by priority, age and uid.
"""
