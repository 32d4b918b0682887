import { quotaWarned } from '@botyard/contracts/events/usage';
import { EventTail } from '@botyard/shared/bus/event-tail';
import { ensureStream } from '@botyard/shared/bus/streams';
import { eventually } from '@botyard/testing/eventually';
import { firstSample } from '@botyard/testing/samples';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';

let harness: ServiceHarness;
beforeAll(async () => {
  harness = await ServiceHarness.open();
  await ensureStream(await harness.busAs('usage'));
});
afterAll(() => harness?.close());

const warn = (used: number) => harness.publish(quotaWarned, { ...firstSample(quotaWarned), used });

async function follow() {
  const bus = await harness.busAs('agents');
  const seqs: number[] = [];
  const followed = { seqs, from: 0, losses: 0 };
  const tail = new EventTail({
    bus,
    owner: 'usage',
    events: [quotaWarned],
    isWanted: () => true,
    onEvent: ({ seq }) => seqs.push(seq),
    onLost: () => {
      followed.losses += 1;
    },
  });
  const started = tail.start().then(() => {
    followed.from = (seqs[0] ?? tail.position.seq + 1) - 1;
  });
  return { followed, tail, started };
}

test('a tail that starts while events arrive hears each event after its start once, in order', async () => {
  const followers: Awaited<ReturnType<typeof follow>>[] = [];
  let isOver = false;
  const publishing = (async () => {
    for (let used = 1; !isOver; used += 1) await Promise.all([warn(used), warn(used), warn(used)]);
  })();
  for (let count = 0; count < 100; count += 1) {
    const follower = await follow();
    await follower.started;
    followers.push(follower);
  }
  isOver = true;
  await publishing;
  const usage = await harness.busAs('usage');
  const { state } = await usage.live().manager.streams.info(usage.names.stream('usage'));
  await eventually('all are heard', () => followers.every(({ tail }) => tail.position.seq >= state.last_seq));
  for (const { tail, followed } of followers) {
    tail.stop();
    const { from, seqs } = followed;
    expect(seqs).toEqual(Array.from({ length: state.last_seq - from }, (_, index) => from + 1 + index));
    expect(followed.losses).toBe(0);
  }
});

test('a tail whose stream was created again tells of the loss once, and hears the events after it', async () => {
  const usage = await harness.busAs('usage');
  await Promise.all([warn(1), warn(2), warn(3)]);
  const { followed, tail, started } = await follow();
  await started;
  await usage.live().manager.streams.delete(usage.names.stream('usage'));
  await ensureStream(usage);
  await warn(1);
  await eventually('the loss is told', () => followed.losses === 1);
  await warn(2);
  await warn(3);
  await eventually('the events after it are heard', () => followed.seqs.at(-1) === 3);
  tail.stop();
  expect(followed.seqs).toEqual([2, 3]);
  expect(followed.losses).toBe(1);
});
