"""Simulated batch gradients of environments with a known cosine, noise scale and spectrum."""

import numpy as np

from palaestra.core.gradient import GradientSketch

K = 1024


def spectrum() -> np.ndarray:
    """Noise variances along the coordinates, sum 1: a power law, so that few directions carry most of the noise."""
    variance_K = (1.0 + np.arange(K)) ** -0.5
    return variance_K / variance_K.sum()


def effective() -> float:
    return 1 / float((spectrum() ** 2).sum())


def means(rng: np.random.Generator, cosine: float) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors along the noise spectrum with exactly this cosine."""
    one, two = rng.standard_normal((2, K)) * np.sqrt(spectrum())
    one /= np.linalg.norm(one)
    two -= (two @ one) * one
    two /= np.linalg.norm(two)
    return one, cosine * one + np.sqrt(1 - cosine**2) * two


def sketch(
    rng: np.random.Generator,
    mean_K: np.ndarray,
    noise: float,
    env_id: str = "a/a",
    batches: int = 10,
    live: int = 1,
    scale: float = 1.0,
) -> GradientSketch:
    """Batches around a mean, with noise / signal = B / n = `noise` once all are averaged."""
    noise_MK = rng.standard_normal((batches, K)) * np.sqrt(spectrum() * noise * batches)
    return GradientSketch(env_id, (scale * (mean_K + noise_MK)).astype(np.float32), live, "raw")


def pair(rng: np.random.Generator, cosine: float, noise: float, batches: int = 10) -> list[GradientSketch]:
    one, two = means(rng, cosine)
    return [sketch(rng, one, noise, "a/a", batches), sketch(rng, two, noise, "b/b", batches)]
