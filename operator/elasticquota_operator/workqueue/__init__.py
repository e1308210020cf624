"""Work queues: the newest item per key, with back-off and delay."""
