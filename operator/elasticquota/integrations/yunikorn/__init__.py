"""YuniKorn: queues, placement rules, limits, and the queues that placement creates."""
