import type { StreamEvent } from '@botyard/client/event-stream';
import { pause } from './pause.ts';

const soonestMs = 200;
const latestMs = 30_000;
/** A stream that stayed open this long counts as healthy and resets the pause between attempts. */
const lastedMs = 10_000;

/** Opens a stream. @throws when it is rejected or breaks */
export type OpenStream = (options: {
  signal: AbortSignal;
  onOpen: () => void;
}) => AsyncIterable<StreamEvent, void>;

interface Following {
  signal: AbortSignal;
  /** The stream is open. Events from before this call are not delivered. */
  onOpen?: () => void;
  onEvent: (event: StreamEvent) => void;
  /** The stream has ended or could not be opened. It is reopened after a pause. */
  onEnd?: () => void;
}

/** Listens to a stream until the signal is aborted. Reopens the stream whenever it ends. */
export async function follow(open: OpenStream, following: Following): Promise<void> {
  const { signal, onOpen = () => undefined, onEvent, onEnd } = following;
  let pauseMs = soonestMs;
  while (!signal.aborted) {
    const begin = performance.now();
    try {
      for await (const event of open({ signal, onOpen })) onEvent(event);
    } catch {
      // The next request reports the cause.
    }
    if (signal.aborted) return;
    onEnd?.();
    pauseMs = performance.now() - begin > lastedMs ? soonestMs : Math.min(pauseMs * 2, latestMs);
    await pause(pauseMs, signal);
  }
}
