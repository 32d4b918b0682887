import { expect, test } from 'vitest';
import { type Missed, MissedEvents } from '../../../src/live/domain/missed-events.ts';
import type { Position } from '../../../src/live/domain/position.ts';

const at = (webhooks: number, agents = 0, usage = 0): Position => {
  const place = (seq: number) => ({ createdMs: 1, seq });
  return { webhooks: place(webhooks), agents: place(agents), usage: place(usage) };
};

/** Reads that wait until they are let on, or `null` for positions further back than `least` of the first stream. */
function startReads(least = 0) {
  const from: Position[] = [];
  const gate = Promise.withResolvers<void>();
  const missed = new MissedEvents(async (position) => {
    from.push(position);
    await gate.promise;
    return position.webhooks.seq < least ? null : [];
  });
  return { from, missed, letOn: gate.resolve };
}

test('listeners who reconnect together share a read, from the earliest position in each stream', async () => {
  const { from, missed, letOn } = startReads();
  const positions = [at(9, 9), at(5, 7), ...Array.from({ length: 500 }, (_, index) => at(6 + index, 5, 3))];
  const reads = [at(8), ...positions].map((left) => missed.since(left));
  letOn();
  const answers = await Promise.all(reads);
  expect(from).toEqual([at(8), at(5, 5, 0)]);
  expect(new Set(answers.slice(1))).toHaveLength(1);
});

test('nothing is cached: a listener who connects after a read causes a new one', async () => {
  const { from, missed, letOn } = startReads();
  letOn();
  await missed.since(at(1));
  await missed.since(at(1));
  expect(from).toEqual([at(1), at(1)]);
});

test("a listener with too old a position doesn't reset the others", async () => {
  const { from, missed, letOn } = startReads(100);
  const busy = missed.since(at(200));
  const positions = [at(3), ...Array.from({ length: 99 }, (_, index) => at(100 + index))];
  const reads = positions.map((left) => missed.since(left));
  letOn();
  const answers: Missed[] = await Promise.all(reads);
  expect(answers).toEqual([null, ...Array.from({ length: 99 }, () => [])]);
  await busy;
  expect(from.length).toBeLessThan(20);
});

test('when all have missed too much, a few reads find it out', async () => {
  const { from, missed, letOn } = startReads(1000);
  const reads = Array.from({ length: 512 }, (_, index) => missed.since(at(index)));
  letOn();
  expect(await Promise.all(reads)).toEqual(Array.from({ length: 512 }, () => null));
  expect(from.length).toBeLessThan(20);
});

test('a failed read fails for everyone who shares it, but not for later ones', async () => {
  let isAway = true;
  const missed = new MissedEvents(async () => {
    if (isAway) throw new Error('away');
    return [];
  });
  const reads = await Promise.allSettled([missed.since(at(1)), missed.since(at(2)), missed.since(at(3))]);
  expect(reads.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  isAway = false;
  expect(await missed.since(at(1))).toEqual([]);
});
