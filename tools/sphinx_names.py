"""The names and questions by which readers look for a page: a search for one finds the page first."""

from typing import Any

from docutils import nodes

NAMES = {
    "book/path/posterior": ["what is a posterior", "Beta distribution"],
    "book/path/game": ["what does epsilon mean", "what is differential privacy"],
    "book/path/noise": ["geometric noise", "Laplace noise"],
    "book/path/distance": ["exponential mechanism", "Hellinger distance"],
    "book/path/best": ["best mechanism", "what is a remap"],
    "book/path/conclude": ["noise-aware posterior"],
    "book/optimality": ["Domination theorem"],
    "book/guides/release": ["how to release data"],
    "book/guides/extend": ["how to add a mechanism"],
    "notebooks/beyond/honest_intervals": ["coverage of intervals"],
    "notebooks/beyond/how_far_from_the_best": ["distance from the optimum"],
    "notebooks/beyond/real_data": ["real data"],
    "notebooks/beyond/which_mechanism": ["which mechanism to use"],
    "notebooks/foundations/first_release": ["first release"],
    "notebooks/foundations/promise_and_audit": ["exact privacy loss"],
    "notebooks/foundations/sensitivity": ["local and global sensitivity"],
    "notebooks/hellinger/smoothed_mechanism": ["M_H"],
    "notebooks/notes/theorem_4_5": ["Theorem 4.5"],
    "notebooks/notes/errors_in_steps": ["errors in steps"],
    "notebooks/notes/privacy_of_the_mechanisms": ["LSZhang"],
    "notebooks/posterior_sampling/assumptions": ["Lipschitz assumption"],
    "notebooks/posterior_sampling/sampling_and_answering": ["BAPS"],
    "notebooks/private_mcmc/barker_and_gauss_bernoulli": ["Barker test"],
    "notebooks/private_mcmc/clipping_study": ["clipping"],
    "notebooks/private_mcmc/experiments_banana": ["banana"],
    "notebooks/private_mcmc/logistic_regression": ["private logistic regression"],
    "notebooks/private_mcmc/three_currencies": ["zCDP"],
}


def enter(app: Any, tree: nodes.document) -> None:
    """Put the names of a page into the index, as its main entries."""
    page = app.env.docname
    entries = app.env.domaindata["index"]["entries"].setdefault(page, [])
    place = tree.next_node(nodes.section)
    for name in NAMES.get(page, []):
        entries.append(("single", name, place["ids"][0], "main", None))


def setup(app: Any) -> dict[str, bool]:
    app.connect("doctree-read", enter)
    return {"parallel_read_safe": True}
