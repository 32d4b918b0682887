/** Thrown by tools. The message is for the model, so it contains no internal details: no address, no cause. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  /**
   * `refused`: the request isn't allowed, or makes no sense. `failed`: the call failed, and a later one may succeed.
   */
  readonly outcome: 'refused' | 'failed';

  constructor(outcome: 'refused' | 'failed', message: string, options?: ErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }
}
