"""AdmissionReviews: what the API server asks, and the patches that it is answered with."""
