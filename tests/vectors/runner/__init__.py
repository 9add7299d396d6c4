"""Runs the vectors through a server process of any language, over real pipes and real sockets."""
