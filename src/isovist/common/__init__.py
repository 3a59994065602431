"""What every room may use: errors, files, progress, plug-ins, seeds."""
