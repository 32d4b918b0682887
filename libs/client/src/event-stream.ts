import { EventSourceParserStream } from 'eventsource-parser/stream';

/** One server-sent event. `data` is parsed where it is JSON, and the text otherwise. */
export interface StreamEvent {
  type: string;
  data: unknown;
  /** For `lastEventId` when the stream is opened again. */
  id: string | undefined;
}

/** A longer event breaks the stream: our servers never send one. */
const maxEventLength = 1024 * 1024;

/** The events of an answer, until the server or the reader ends it. */
export async function* readEvents(response: Response): AsyncGenerator<StreamEvent, void, undefined> {
  if (!response.body) return;
  const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
  const events = response.body
    .pipeThrough(decoder)
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: maxEventLength }));
  const reader = events.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield { type: value.event ?? 'message', data: parsed(value.data), id: value.id };
    }
  } finally {
    // The connection is given back, whether or not the reader wanted everything.
    await reader.cancel().catch(() => {});
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
