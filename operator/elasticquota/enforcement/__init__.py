"""Who runs next, who gives back, and what is published: decisions from the balanced books."""
