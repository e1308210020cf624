"""How each pod and queued job counts: in which quota and pool, with its group, and until when."""
