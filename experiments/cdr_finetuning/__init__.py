"""A small model is taught compass relations in four ways; see README.md."""
