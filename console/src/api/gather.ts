/**
 * Coalesces requests for a piece of work. The first request runs immediately, runs never overlap, and a pause follows
 * each run.
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
      // The page shows the error in place of the data.
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
