"""DORI-style questions about photographs with published pose annotations; one module reads one dataset."""
