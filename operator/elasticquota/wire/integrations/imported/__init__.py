"""Objects of systems that are imported and not followed: Kueue, HNC, Volcano, KAI Scheduler."""
