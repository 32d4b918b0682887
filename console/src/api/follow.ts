import type { StreamEvent } from '@botyard/client/event-stream';
import { pause } from './pause.ts';

const soonestMs = 200;
const latestMs = 30_000;
/** A stream that has lasted for so long was none that is refused again and again. */
const lastedMs = 10_000;

/** Opens a stream. @throws when it is refused or breaks */
export type OpenStream = (options: {
  signal: AbortSignal;
  onOpen: () => void;
}) => AsyncIterable<StreamEvent, void>;

interface Following {
  signal: AbortSignal;
  /** From now on everything is told; what happened before was not. */
  onOpen?: () => void;
  onEvent: (event: StreamEvent) => void;
  /** The stream has ended, or could not be opened. It is opened again after a while. */
  onEnd?: () => void;
}

/** Listens to a stream until the signal is aborted, and opens it again whenever it has ended. */
export async function follow(open: OpenStream, following: Following): Promise<void> {
  const { signal, onOpen = () => undefined, onEvent, onEnd } = following;
  let pauseMs = soonestMs;
  while (!signal.aborted) {
    const begin = performance.now();
    try {
      for await (const event of open({ signal, onOpen })) onEvent(event);
    } catch {
      // Refused, or nobody there: whoever asks next is told which.
    }
    if (signal.aborted) return;
    onEnd?.();
    pauseMs = performance.now() - begin > lastedMs ? soonestMs : Math.min(pauseMs * 2, latestMs);
    await pause(pauseMs, signal);
  }
}
