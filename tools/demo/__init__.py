"""The demo: two teams borrow and give back on a real control plane, and every claim is checked."""
