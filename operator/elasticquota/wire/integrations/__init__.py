"""Readers of kinds of external systems: ACK trees and queues, capacity scheduling, YuniKorn."""
