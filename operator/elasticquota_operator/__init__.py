"""The controller: informers in, decisions, writers out. No module here knows a rule of quotas."""
