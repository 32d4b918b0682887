/**
 * A start that can't go on, told in one line that a person can act on. The launcher prints the message alone, without a
 * stack.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}
