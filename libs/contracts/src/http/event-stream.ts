import { z } from 'zod';

/** A client that holds a connection open for server-sent events. */
export interface StreamClient {
  /** Sends text in the format that `writeEvent` returns. A client that reads too slowly is disconnected. */
  send(text: string | Uint8Array): void;
  end(): void;
}

/** The result of a route that answers with server-sent events. */
export interface EventStream {
  /** Called once the response has begun. Returns a function to call when the client has disconnected. */
  open(client: StreamClient): () => void;
}

/** The `response` of a route that answers with server-sent events. */
export const EventStream: z.ZodType<EventStream, EventStream> = z.custom<EventStream>();

/** Formats one event whose data is already JSON. JSON has no line breaks, so it fits on one line. */
export const writeEvent = ({ id, event, json }: { id?: string; event: string; json: string }): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${json}\n\n`;
