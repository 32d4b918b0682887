/** Runs `work` after all pending input was handled: the event loop polls for it between these two turns. */
export function afterPoll(work: () => void): void {
  setImmediate(() => setImmediate(work));
}
