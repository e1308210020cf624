"""``import``: a neighbour's objects from files, printed as ElasticQuotas of ours."""
