"""Metering: for how long each quota borrowed and lent how much, for chargeback.

In: the statuses of each cycle, with the time. Out: ``ResourceHours`` for the status of each quota.
"""
