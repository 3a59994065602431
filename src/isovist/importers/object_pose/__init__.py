"""Questions like those of DORI about photographs whose objects others have annotated: one file reads one data set."""
