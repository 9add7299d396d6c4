"""The standard server of the vectors on this package; the runner is `tests/vectors/runner`."""
