"""What every package may use: errors, files, progress, plug-ins, seeds."""
