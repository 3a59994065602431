"""Data in the forms that trainers and other evaluation tools load: one file a tool, and what they share."""
