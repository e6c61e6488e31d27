"""Figures of posterior sampling: masses have the colour of their setting, their bounds are dotted."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from .look import LINES, axes, legend_beside


def lipschitz_masses(
    levels: Sequence[float],
    masses: Mapping[str, Sequence[float]],
    bounds: Mapping[str, Sequence[float]],
    constants: Mapping[str, float],
    ax: Axes | None = None,
) -> Axes:
    """Figure 1: the mass of parameters with a Lipschitz constant of at most L, its lower bound, and where it ends."""
    ax = axes(ax)
    for (name, values), look in zip(masses.items(), LINES, strict=False):
        ax.step(levels, values, where="post", color=look.color, linewidth=2.2, label=name)
        ax.plot(levels, bounds[name], color=look.color, linewidth=1, linestyle=":", label=f"bound, {name}")
        ax.plot(constants[name], 1, look.marker, color=look.color, markersize=8, clip_on=False, zorder=3)
    ax.set(xlabel="L", ylabel="prior mass of constants up to L", ylim=(0, 1.02), xlim=(min(levels), max(levels)))
    legend_beside(ax)
    return ax
