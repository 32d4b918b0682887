/** A stream says something every 15 seconds; one that is silent for longer is broken. */
const silentMs = 40_000;

/**
 * Reads server-sent events from a POST, which `EventSource` can't send, so that the session is in no address. Resolves
 * with the status when the stream ends. Rejects when the connection breaks.
 */
export async function readStream(url, body, { signal, onEvent }) {
  const silence = new AbortController();
  let timer;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silentMs);
  };
  heard();
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(body),
      credentials: 'omit',
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (answer.status !== 200 || !answer.body) return answer;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return answer;
      heard();
      text += value;
      const blocks = text.split('\n\n');
      text = blocks.pop();
      for (const block of blocks) tell(block, onEvent);
    }
  } finally {
    clearTimeout(timer);
  }
}

function tell(block, onEvent) {
  const lines = block.split('\n');
  const of = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const event = of('event');
  if (event) onEvent(event, JSON.parse(of('data') ?? '{}'));
}

/** The time until a request may be repeated: what the server says, or longer after each failure. */
export function waitMs(failures, answer) {
  const retryAfterMs = Number(answer?.headers.get('retry-after') ?? 0) * 1000;
  const own = Math.min(60_000, 1000 * 2 ** Math.min(failures, 6));
  // Windows that were cut off together don't come back together.
  return Math.max(retryAfterMs, own) * (1 + Math.random() / 2);
}

/** Ends early when the browser is online again, or the page is looked at. */
export const pause = (ms, signal) =>
  new Promise((resolve) => {
    const isSeen = () => document.visibilityState === 'visible' && done();
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      document.removeEventListener('visibilitychange', isSeen);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener('online', done);
    document.addEventListener('visibilitychange', isSeen);
    signal?.addEventListener('abort', done);
  });
