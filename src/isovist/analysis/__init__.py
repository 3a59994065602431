"""What the replies to many items say about how a model sees: findings that hold beyond noise, each in words with its evidence."""
