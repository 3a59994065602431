"""A local page on which people answer cards: pictures, a question and what may be answered; and what their answers come to."""
