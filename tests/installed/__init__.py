"""Tests in the environments of `.ci/installed`: the wheel, as its users have it."""
