r"""Random numbers from a seed by the Threefry generator, as JAX makes them: what simulated the published rows.

Threefry-2x32 with twenty rounds (Salmon, Moraes, Dror and Shaw 2011) maps a key and a counter, two words of 32 bits
each, to two words. ``key``, ``split`` and ``normal`` agree with ``jax.random.PRNGKey``, ``split`` and ``normal`` at 64
bits and with ``jax_threefry_partitionable`` off, the settings of JAX at the time: the words exactly, normal numbers to
the accuracy of the inverse error function. Not a source of randomness for releases.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfinv

from .. import checks
from ..checks import Floats

Words = NDArray[np.uint32]

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
"""Bits by which a word is rotated, in groups of four rounds that alternate."""

PARITY = 0x1BD11BDA
"""The third word of a key is this, exclusive-or the other two."""


def threefry(key: Words, first: Words, second: Words) -> tuple[Words, Words]:
    """The counters (first, second) after twenty rounds under a key of two words; all arithmetic is modulo 2^32."""
    keys = (key[0], key[1], key[0] ^ key[1] ^ np.uint32(PARITY))
    x, y = first + keys[0], second + keys[1]
    for group in range(5):
        for bits in ROTATIONS[group % 2]:
            x = x + y
            y = (y << np.uint32(bits) | y >> np.uint32(32 - bits)) ^ x
        x = x + keys[(group + 1) % 3]
        y = y + keys[(group + 2) % 3] + np.uint32(group + 1)
    return x, y


def key(seed: int) -> Words:
    """The key of a seed: its upper and its lower 32 bits."""
    number = checks.whole("seed", seed, least=0, below=2**63)
    return np.array([number >> 32, number & 0xFFFFFFFF], dtype=np.uint32)


def split(key: Words, number: int = 2) -> list[Words]:
    """So many keys from one."""
    return list(words(key, 2 * number).reshape(number, 2))


def words(key: Words, size: int) -> Words:
    """An even number of words: the counter runs over 0, 1, ..., its first half paired with its second."""
    if size % 2:
        raise ValueError(f"size must be even, got size={size}")
    counter = np.arange(size, dtype=np.uint32)
    return np.concatenate(threefry(key, counter[: size // 2], counter[size // 2 :]))


def normal(key: Words, shape: tuple[int, ...]) -> Floats:
    r"""Standard normal numbers, \(\sqrt 2 \operatorname{erf}^{-1}(u)\) of numbers u uniform on (-1, 1).

    The upper 52 of 64 bits are the fraction of a number in [1, 2), from which u is made by a linear map.
    """
    size = math.prod(shape)
    drawn = words(key, 2 * size).astype(np.uint64)
    bits = (drawn[:size] << np.uint64(32) | drawn[size:]) >> np.uint64(12)
    fraction = (bits | np.uint64(0x3FF0000000000000)).view(np.float64) - 1.0
    least = np.nextafter(-1.0, 0.0)
    uniform = np.maximum(least, fraction * (1.0 - least) + least)
    return np.asarray(math.sqrt(2) * erfinv(uniform)).reshape(shape)
