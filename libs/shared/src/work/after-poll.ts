/** Runs `work` when all that had come in is handled: between the two turns the event loop polls for it. */
export function afterPoll(work: () => void): void {
  setImmediate(() => setImmediate(work));
}
