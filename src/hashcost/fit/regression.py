"""Least squares with weights. Pure."""

import math
from collections.abc import Sequence
from typing import TypeAlias

Row: TypeAlias = Sequence[float]


def product(coefficients: Row, row: Row) -> float:
    """The sum of each coefficient times its term."""
    return math.fsum(c * x for c, x in zip(coefficients, row, strict=True))


def least_squares(
    rows: Sequence[Row], targets: Sequence[float], weights: Sequence[float]
) -> tuple[tuple[float, ...], list[list[float]]]:
    """The coefficients that minimise the weighted squares, and their covariance.

    A coefficient that no row has a term for is 0.
    """
    count = len(rows[0])
    matrix = [[0.0] * count + [float(i == j) for j in range(count)] for i in range(count)]
    right = [0.0] * count
    for row, target, weight in zip(rows, targets, weights, strict=True):
        for i, one in enumerate(row):
            if one:
                right[i] += weight * one * target
                for j, other in enumerate(row):
                    matrix[i][j] += weight * one * other
    inverse = _inverse(matrix)
    return tuple(product(row, right) for row in inverse), inverse


def _inverse(matrix: list[list[float]]) -> list[list[float]]:
    """Invert a matrix beside the identity by Gauss-Jordan; singular rows become zero."""
    count = len(matrix)
    sizes = [matrix[i][i] for i in range(count)]
    for i in range(count):
        if matrix[i][i] <= 1e-10 * sizes[i] or not sizes[i]:
            matrix[i] = [0.0] * (2 * count)
            for row in matrix:
                row[i] = row[count + i] = 0.0
            continue
        pivot = matrix[i][i]
        matrix[i] = [value / pivot for value in matrix[i]]
        for k in range(count):
            if k != i and matrix[k][i]:
                factor = matrix[k][i]
                matrix[k] = [a - factor * b for a, b in zip(matrix[k], matrix[i], strict=True)]
    return [row[count:] for row in matrix]
