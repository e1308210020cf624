"""The demo: two teams share a pool on a real control plane, and every claim is checked."""
