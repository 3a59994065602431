"""CDR: compass direction reasoning on letter, number and icon pictures (arXiv 2412.16599).

The eleven rows of the paper's result table are eleven tasks. What differs from the paper: options are shuffled unless
``order=paper``; which cells of a letter grid are filled tells nothing about the answer; letters A-H, which are also
option letters, are left out unless ``letters=A-Z``; train and test never share a picture.
"""
