"""Work with people: studies, annotation, and questions drafted for review."""
