import type { StreamPosition } from '@botyard/shared/bus/event-tail';

/** The streams that are followed, in the order of the parts in an event's identifier. */
export const followedOwners = ['webhooks', 'agents', 'usage'] as const;
export type FollowedOwner = (typeof followedOwners)[number];

/** A listener's position in each stream. */
export type Position = Readonly<Record<FollowedOwner, StreamPosition>>;

const each = (place: (owner: FollowedOwner) => StreamPosition): Position => ({
  webhooks: place('webhooks'),
  agents: place('agents'),
  usage: place('usage'),
});

/** The position after an event of one stream. */
export const movedTo = (position: Position, owner: FollowedOwner, seq: number): Position => ({
  ...position,
  [owner]: { ...position[owner], seq },
});

/** The oldest position in each stream. All positions have to be of the same streams. */
export const oldestOf = (positions: readonly Position[]): Position =>
  each((owner) =>
    positions.map((position) => position[owner]).reduce((one, other) => (other.seq < one.seq ? other : one)),
  );

/** Whether a position is in the same streams as another one, and nowhere after it. */
export const isWithin = (position: Position, other: Position): boolean =>
  followedOwners.every(
    (owner) =>
      position[owner].createdMs === other[owner].createdMs && position[owner].seq <= other[owner].seq,
  );

/** A position with its time, in a form from which any process can resume. */
export function writePosition(position: Position, atMs: number): string {
  const parts = followedOwners.flatMap((owner) => [position[owner].createdMs, position[owner].seq]);
  return [Math.trunc(atMs), ...parts].map((part) => part.toString(36)).join('-');
}

const shape = /^[0-9a-z]{1,11}(?:-[0-9a-z]{1,11}){6}$/;

/** Returns `undefined` when the text is not a position of this service. */
export function readPosition(text: string): { atMs: number; position: Position } | undefined {
  if (!shape.test(text)) return undefined;
  const [atMs = 0, ...parts] = text.split('-').map((part) => Number.parseInt(part, 36));
  if (![atMs, ...parts].every(Number.isSafeInteger)) return undefined;
  const at = (index: number): StreamPosition => ({
    createdMs: parts[2 * index] ?? 0,
    seq: parts[2 * index + 1] ?? 0,
  });
  return { atMs, position: { webhooks: at(0), agents: at(1), usage: at(2) } };
}
