"""Records what a tenant sees, from apply to eviction and back, on a real control plane."""
