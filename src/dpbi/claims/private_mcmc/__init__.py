from . import definitions, composition, gaussian_noise, metropolis_hastings
