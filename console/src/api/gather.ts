/**
 * Coalesces requests for a piece of work: the first runs at once, never two at the same time, with a pause after each.
 * @returns the function that requests it
 */
export function gather(
  work: () => Promise<unknown>,
  { signal, pause }: { signal: AbortSignal; pause: () => Promise<unknown> },
): () => void {
  let isWanted = false;
  let isBusy = false;
  const workOff = async () => {
    isBusy = true;
    while (isWanted && !signal.aborted) {
      isWanted = false;
      // Failures are shown with their data.
      await work().catch(() => undefined);
      await pause();
    }
    isBusy = false;
  };
  return () => {
    isWanted = true;
    if (!isBusy) void workOff();
  };
}
