"""One example of each message that the controller writes, made by the code that writes it."""
