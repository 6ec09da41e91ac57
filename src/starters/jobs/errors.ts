/** Wrong usage: nothing was sent. A message about a flag begins with the flag. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Not found, refused, or failed: the sentence is all there is to say. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
