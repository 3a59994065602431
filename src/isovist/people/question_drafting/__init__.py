"""Questions about pictures that cannot be made by rule: a model drafts them, two people or more answer them, those agreed on stay."""
