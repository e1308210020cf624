"""Kinds of external systems: ACK's trees and queues, capacity scheduling, YuniKorn."""
