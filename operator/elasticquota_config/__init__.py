"""The configuration file of controller and webhook: model, defaults, errors, live reload."""
