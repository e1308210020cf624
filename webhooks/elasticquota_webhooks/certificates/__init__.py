"""The serving certificate: its issuer, the trust in it, and the renewal of both."""
