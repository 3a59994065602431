"""Submissions: the responses of one run of a release in one file, which an organiser scores again and shows on a leaderboard."""
