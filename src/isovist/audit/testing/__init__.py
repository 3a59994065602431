"""Conformance tests for tasks, public so that plug-ins run them too."""
