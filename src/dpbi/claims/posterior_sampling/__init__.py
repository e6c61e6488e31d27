from . import definitions, assumptions, evidence, privacy, answers, regret, adversary, utility  # noqa: I001
from . import le_cam, rates, coins, normals, networks
