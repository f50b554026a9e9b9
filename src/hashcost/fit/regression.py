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
    # The normal equations: (X' W X) b = X' W y. Where each weight is the inverse of a row's
    # variance, the inverse of X' W X is the covariance of b.
    count = len(rows[0])
    matrix = [[0.0] * count for _ in range(count)]
    right = [0.0] * count
    for row, target, weight in zip(rows, targets, weights, strict=True):
        for i, term in enumerate(row):
            weighted = weight * term
            right[i] += weighted * target
            for j, other in enumerate(row):
                matrix[i][j] += weighted * other
    covariance = _inverse(matrix)
    coefficients = [product(row, right) for row in covariance]
    return tuple(coefficients), covariance


def _inverse(matrix: Sequence[Row]) -> list[list[float]]:
    """Invert a symmetric matrix by Gauss-Jordan elimination; singular rows become zero."""
    count = len(matrix)
    # The identity stands to the right of the matrix, and becomes the inverse.
    rows = []
    for i, row in enumerate(matrix):
        identity = [0.0] * count
        identity[i] = 1.0
        rows.append([*row, *identity])
    for i in range(count):
        pivot = rows[i][i]
        # What elimination leaves of a column that depends on others is rounding.
        if pivot <= 1e-10 * matrix[i][i]:
            rows[i] = [0.0] * (2 * count)
            for row in rows:
                row[i] = 0.0
                row[count + i] = 0.0
            continue
        rows[i] = [value / pivot for value in rows[i]]
        for k in range(count):
            if k != i:
                _subtract(rows[k], rows[k][i], rows[i])
    return [row[count:] for row in rows]


def _subtract(row: list[float], factor: float, other: Row) -> None:
    """Subtract so many times another row from a row, in place."""
    for i, value in enumerate(other):
        row[i] -= factor * value
