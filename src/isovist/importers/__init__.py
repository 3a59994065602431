"""What other tools read and write, one file a format. So far: published test sets that become data folders."""
