import type { AdapterContext } from '../adapter.ts';
import type { Sessions } from './domain/sessions.ts';
import type { Streams } from './domain/streams.ts';

export interface Deps extends AdapterContext {
  sessions: Sessions;
  streams: Streams;
}
