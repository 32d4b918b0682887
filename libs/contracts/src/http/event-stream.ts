import { z } from 'zod';

/** A client that holds a connection open for server-sent events. */
export interface StreamClient {
  /** Text in the format of server-sent events, as `writeEvent` makes it. A client that reads too slowly is cut off. */
  send(text: string | Uint8Array): void;
  end(): void;
}

/** The result of a route that answers with server-sent events. */
export interface EventStream {
  /** Called once the answer has begun. Returns a function to call when the client is gone. */
  open(client: StreamClient): () => void;
}

/** The `response` of a route that answers with server-sent events. */
export const EventStream: z.ZodType<EventStream, EventStream> = z.custom<EventStream>();

/** One event, whose data is already JSON. JSON has no line breaks, so that it fits into one line. */
export const writeEvent = ({ id, event, json }: { id?: string; event: string; json: string }): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${json}\n\n`;
