// Icons come from the theme's style sheet; this stands in for its script with 1.5 MB of them.
