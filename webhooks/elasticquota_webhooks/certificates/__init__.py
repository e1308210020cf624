"""The serving certificate: who makes it, who trusts it, and when both change."""
