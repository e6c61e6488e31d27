"""What privacy can be promised: notions as values, and how they compose."""

from .values import RDP, ZCDP, ApproxDP, GaussianDP, PureDP, compose, gaussian_mechanism, uses_within

__all__ = ["RDP", "ZCDP", "ApproxDP", "GaussianDP", "PureDP", "compose", "gaussian_mechanism", "uses_within"]
