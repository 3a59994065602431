"""Eyes for Percept-V."""
