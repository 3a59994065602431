"""What came out, as tables, figures and one page that opens anywhere."""
