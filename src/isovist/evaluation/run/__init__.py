"""Evaluation of models: sends requests, records every attempt, and resumes interrupted runs."""
