/**
 * A failed start. Its message is one line that says what to do. The launcher prints only the message, without a
 * stack.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}
