"""Results of a run in the formats of sites that collect evaluation results."""

RESULT_FORMATS = {"every-eval-ever": "Every Eval Ever of the EvalEval coalition", "hf-eval-results": "a model on the Hugging Face Hub"}
"""The formats with their sites. A module of the same name, with the functions `check` and `write`, is imported on use."""
