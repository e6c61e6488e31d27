"""Write what pages show of mechanisms: the law of each as a picture."""

from html import escape
from typing import Any

import dpbi
from crossref import NAMES
from dpbi import MECHANISMS
from generate import ROOT, write

PRIOR, COUNTS, EPSILON = [1, 1], [14, 6], 1.0
"""Where the laws are shown: the class of the path, twenty students of whom fourteen say yes."""

WIDTH, HEIGHT, BELOW, ABOVE = 320, 110, 22, 16
"""Of a picture in pixels; it is never drawn smaller, so that its text keeps its size."""

PLACES = {
    "lszhang": ["notebooks/notes/privacy_of_the_mechanisms", "notebooks/notes/theorem_4_5"],
    "lsdim": ["notebooks/notes/privacy_of_the_mechanisms"],
    "lshist": ["notebooks/notes/theorem_4_5", "notebooks/notes/crossovers"],
    "geometric": ["book/path/noise", "book/optimality"],
    "staircase": ["notebooks/beyond/how_far_from_the_best"],
    "discrete_gaussian": ["notebooks/beyond/what_many_uses_cost"],
    "laplace_in_order": ["notebooks/hellinger/tables_and_figures"],
    "lattice_laplace": ["book/optimality", "book/guides/release"],
    "ehd": ["book/path/distance", "notebooks/notes/theorem_4_5"],
    "ehdl": ["notebooks/notes/privacy_of_the_mechanisms", "notebooks/notes/theorem_4_5"],
    "ehds": ["notebooks/notes/privacy_of_the_mechanisms"],
    "smoothed_hellinger": ["notebooks/hellinger/smoothed_mechanism", "notebooks/hellinger/concrete_epsilon"],
    "permute_and_flip": ["notebooks/beyond/what_many_uses_cost"],
    "randomised_response": ["notebooks/private_mcmc/three_currencies", "notebooks/beyond/which_mechanism"],
}
"""The pages where a mechanism is at home; a test asks for every mechanism of the table."""


def picture(name: str) -> str:
    """The law of a mechanism at one dataset: a bar for every count that may be released."""
    law = MECHANISMS[name].at(EPSILON).law(PRIOR, COUNTS)
    n = sum(COUNTS)
    shares = dict(zip(law.outputs[:, 0].tolist(), law.probabilities.tolist(), strict=True))
    top, step = max(shares.values()), WIDTH / (n + 1)
    bars = []
    for x in range(n + 1):
        kind, high = "truth" if x == COUNTS[0] else "other", HEIGHT * shares.get(x, 0) / top
        bars.append(
            f'<rect class="{kind}" x="{x * step + 1:.1f}" y="{ABOVE + HEIGHT - high:.1f}" width="{step - 2:.1f}" '
            f'height="{high:.1f}"/>'
        )
    marks = [f'<text x="{(x + 0.5) * step:.1f}" y="{ABOVE + HEIGHT + 15}">{x}</text>' for x in (0, 5, 10, COUNTS[0], n)]
    likeliest = max(shares, key=lambda x: shares[x])
    label = (
        f"Law of {MECHANISMS[name].words}: the true count {COUNTS[0]} is released with probability "
        f"{shares.get(COUNTS[0], 0):.3g}, and the most probable count is {likeliest} with {top:.3g}."
    )
    across = min(max((likeliest + 0.5) * step, 16), WIDTH - 16)
    top_mark = f'<text x="{across:.1f}" y="{ABOVE - 4}">{top:.2g}</text>'
    return (
        f'<svg class="law" role="img" aria-label="{escape(label)}" width="{WIDTH}" height="{ABOVE + HEIGHT + BELOW}" '
        f'viewBox="0 0 {WIDTH} {ABOVE + HEIGHT + BELOW}">{"".join([*bars, *marks, top_mark])}</svg>'
    )


def card(name: str) -> str:
    """The section of a mechanism: its name in words, its law, what it promises and what it leaks here, its place."""
    entry, mechanism, words = MECHANISMS[name], MECHANISMS[name].at(EPSILON), MECHANISMS[name].words
    found = dpbi.audit(mechanism, PRIOR, sum(COUNTS))
    error = dpbi.mean_error(mechanism, PRIOR, COUNTS)
    promise = (
        "Nothing is promised for every prior and $n$."
        if mechanism.promise is None
        else f"It promises {said(mechanism.promise)}, for every prior and $n$."
    )
    letters = [f"{text} in {NAMES[source]}" for source, text in entry.letters.items() if source in NAMES]
    letters += [f"{text} elsewhere" for source, text in entry.letters.items() if source not in NAMES]
    known = f" It is called {', and '.join(letters)}." if letters else " It is in none of the four sources."
    released = " It may be released, because its noise can be drawn exactly." if entry.released else ""
    places = ", ".join(f"{{doc}}`/{page}`" for page in PLACES[name])
    meaning = entry.meaning[0].upper() + entry.meaning[1:]
    return (
        f"### {words[0].upper()}{words[1:]}\n\n{picture(name)}\n\n{meaning}. In code it is `{name}`.{known}\n\n"
        f"{promise} In this class its largest privacy loss is {found.epsilon:.3g}, and its expected error is "
        f"{error:.3g}.{released}\n\nRead more: {places}."
    )


def said(promise: Any) -> str:
    if hasattr(promise, "rho"):
        return f"concentrated privacy with $\\rho = {promise.rho:g}$"
    return "a loss of at most $\\varepsilon$"


def gallery() -> str:
    parts = []
    for family, title in (
        ("noise on the counts", "Noise on the counts"),
        ("exponential", "Choosing by distance"),
        ("noise on the records", "Noise on every record"),
    ):
        parts += [f"## {title}", *(card(name) for name, entry in MECHANISMS.items() if entry.family == family)]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    write(ROOT / "_build" / "gallery.md", gallery())
