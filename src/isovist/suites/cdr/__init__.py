"""CDR: compass direction reasoning on images of letters, numbers and icons (arXiv 2412.16599).

The eleven rows of the paper's result table are eleven tasks. What differs from the paper: options are shuffled unless
``order=paper``; the filled cells of a letter grid give no information about the answer; letters A-H, which are also
option letters, are excluded unless ``letters=A-Z``; train and test never share an image.
"""
