import type { Bus } from '../bus.ts';

/**
 * The first stored message of a subject from a position on; `null` if there is none. The library's types lack this
 * request, which the server supports.
 */
export function nextOf(bus: Bus, { owner, subject, seq }: { owner: string; subject: string; seq: number }) {
  const query = { seq, next_by_subj: subject } as unknown as { seq: number };
  return bus.live().manager.streams.getMessage(bus.names.stream(owner), query);
}
