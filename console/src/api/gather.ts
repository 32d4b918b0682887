import { pause } from './pause.ts';

/**
 * Does something once for all that ask for it meanwhile: at once for the first, never twice at the same time, and with a pause
 * after each. @returns what asks for it
 */
export function gather(
  work: () => Promise<unknown>,
  { signal, pauseMs }: { signal: AbortSignal; pauseMs: number },
): () => void {
  let isWanted = false;
  let isBusy = false;
  const workOff = async () => {
    isBusy = true;
    while (isWanted && !signal.aborted) {
      isWanted = false;
      // What failed is told where it is shown.
      await work().catch(() => undefined);
      await pause(pauseMs, signal);
    }
    isBusy = false;
  };
  return () => {
    isWanted = true;
    if (!isBusy) void workOff();
  };
}
