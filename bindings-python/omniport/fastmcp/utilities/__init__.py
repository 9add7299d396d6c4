"""Helpers under the names that servers import."""
