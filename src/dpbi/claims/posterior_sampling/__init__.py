from . import definitions, assumptions, evidence, robustness, privacy, answers, regret, adversary, utility, le_cam
