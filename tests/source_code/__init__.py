"""Tests of the rules and the evaluator that read source code."""
