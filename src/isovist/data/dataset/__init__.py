"""Dataset folders: Parquet files in the Hugging Face layout, with a data card and a manifest."""
