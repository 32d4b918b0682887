import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onlyMarkedDuplicates, printFigures, recordsOf } from '../rig/history.ts';
import { between, seeded } from '../rig/random.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const kills = isFull ? 40 : 3;
const messagesPerSecond = isFull ? 20 : 8;
const chats = 60;
const seed = 1;

let system: TestSystem;
/** The running processes; one of the two is always being replaced. */
let webhooks: (Process | undefined)[];
const bots: ConnectedBot[] = [];
let turn = 0;

beforeAll(async () => {
  system = await TestSystem.open();
  const [agents] = await Promise.all([system.startAgents(), system.startAgents()]);
  webhooks = await Promise.all([system.startWebhooks(), system.startWebhooks()]);
  for (let count = 0; count < 3; count++) bots.push(await system.createBot(agents));
});
afterAll(() => system?.close());

test(
  `F-01: webhooks killed ${kills} times under load, as by kill -9: nothing that was answered 200 is lost (P1)`,
  async () => {
    const random = seeded(seed);
    const next = () => {
      const there = webhooks.filter((one) => one !== undefined);
      return there[turn++ % there.length];
    };
    const load = system.createLoad(bots, next, { chats, messagesPerSecond });
    load.start();
    for (let kill = 0; kill < kills; kill++) {
      await load.untilAnswered(messagesPerSecond);
      // In the middle of a burst, wherever that is.
      const taken = load.acceptedCount + between(random, 1, chats / 2);
      load.sendBurst();
      await eventually('some are accepted', () => load.acceptedCount >= taken);
      const victim = webhooks[kill % 2]!;
      victim.signal('SIGKILL');
      expect(await victim.ended).toMatchObject({ signal: 'SIGKILL' });
      webhooks[kill % 2] = undefined;
      webhooks[kill % 2] = await system.startWebhooks();
    }
    await load.stopSending();
    // Two kills can interrupt both sends of an answer, which is then dropped as uncertain.
    await eventually(
      'every message is answered or given up',
      async () => load.history.openBut(await recordsOf(system.harness)).length === 0,
    );
    const records = await recordsOf(system.harness);
    const verdict = load.history.verdict(records);
    const cutOff = load.refusals.length;
    printFigures('F-01', {
      ...verdict,
      kills,
      'given up': records.givenUp.length,
      'brought again': cutOff,
      seed,
    });
    expect(verdict).toMatchObject(onlyMarkedDuplicates);
    const givenUpEarly = "select plain from webhooks.parts where state = 'failed' and open_sends < 2";
    expect(await system.harness.asOwner(givenUpEarly)).toEqual([]);
    // Each kill affects only requests in flight; while a process is down the other one accepts everything.
    expect(load.refusals.filter(({ status }) => status !== 0 && status !== 503)).toEqual([]);
  },
  isFull ? 1_200_000 : 600_000,
);
