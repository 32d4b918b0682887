import type { StreamPosition } from '@botyard/shared/bus/event-tail';

/** The streams that are followed; their order is that of an identifier's parts. */
export const followedOwners = ['webhooks', 'agents', 'usage'] as const;
export type FollowedOwner = (typeof followedOwners)[number];

/** How far a listener has come in each stream. */
export type Position = Readonly<Record<FollowedOwner, StreamPosition>>;

const each = (place: (owner: FollowedOwner) => StreamPosition): Position => ({
  webhooks: place('webhooks'),
  agents: place('agents'),
  usage: place('usage'),
});

/** A position that is a step further in one stream. */
export const movedTo = (position: Position, owner: FollowedOwner, seq: number): Position => ({
  ...position,
  [owner]: { ...position[owner], seq },
});

/** The least far in each stream. The positions are of the same streams. */
export const oldestOf = (positions: readonly Position[]): Position =>
  each((owner) =>
    positions.map((position) => position[owner]).reduce((one, other) => (other.seq < one.seq ? other : one)),
  );

/** Whether a position is in the same streams as another one, and nowhere further. */
export const isWithin = (position: Position, other: Position): boolean =>
  followedOwners.every(
    (owner) =>
      position[owner].createdMs === other[owner].createdMs && position[owner].seq <= other[owner].seq,
  );

/** A position and its moment: any process can continue from it. */
export function writePosition(position: Position, atMs: number): string {
  const parts = followedOwners.flatMap((owner) => [position[owner].createdMs, position[owner].seq]);
  return [Math.trunc(atMs), ...parts].map((part) => part.toString(36)).join('-');
}

const shape = /^[0-9a-z]{1,11}(?:-[0-9a-z]{1,11}){6}$/;

/** `undefined` when the text is none of ours. */
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
