import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kept, recordsOf, tell } from '../rig/history.ts';
import { between, seeded } from '../rig/random.ts';
import { type Process, Town, type TownBot } from '../rig/town.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const kills = isFull ? 40 : 3;
const messagesPerSecond = isFull ? 20 : 8;
const chats = 60;
const seed = 1;

let town: Town;
/** The running processes; one of the two is always being replaced. */
let webhooks: (Process | undefined)[];
const bots: TownBot[] = [];
let turn = 0;

beforeAll(async () => {
  town = await Town.open();
  const [agents] = await Promise.all([town.startAgents(), town.startAgents()]);
  webhooks = await Promise.all([town.startWebhooks(), town.startWebhooks()]);
  for (let count = 0; count < 3; count++) bots.push(await town.createBot(agents));
});
afterAll(() => town?.close());

test(
  `F-01: webhooks killed ${kills} times under load, as by kill -9: nothing that was answered 200 is lost (P1)`,
  async () => {
    const random = seeded(seed);
    const next = () => {
      const there = webhooks.filter((one) => one !== undefined);
      return there[turn++ % there.length];
    };
    const crowd = town.crowd(bots, next, { chats, messagesPerSecond });
    crowd.start();
    for (let kill = 0; kill < kills; kill++) {
      await crowd.hears(messagesPerSecond);
      // In the middle of a burst, wherever that is.
      const taken = crowd.acceptedCount + between(random, 1, chats / 2);
      crowd.everybodySpeaks();
      await eventually('some are accepted', () => crowd.acceptedCount >= taken);
      const victim = webhooks[kill % 2]!;
      victim.signal('SIGKILL');
      expect(await victim.ended).toMatchObject({ signal: 'SIGKILL' });
      webhooks[kill % 2] = undefined;
      webhooks[kill % 2] = await town.startWebhooks();
    }
    await crowd.fallsSilent();
    // Two kills can interrupt both sends of an answer, which is then dropped as uncertain.
    await eventually(
      'every message is answered or given up',
      async () => crowd.history.openBut(await recordsOf(town.harness)).length === 0,
    );
    const records = await recordsOf(town.harness);
    const verdict = crowd.history.verdict(records);
    const cutOff = crowd.refusals.length;
    tell('F-01', { ...verdict, kills, 'given up': records.givenUp.length, 'brought again': cutOff, seed });
    expect(verdict).toMatchObject(kept);
    const givenUpEarly = "select plain from webhooks.parts where state = 'failed' and open_sends < 2";
    expect(await town.harness.asOwner(givenUpEarly)).toEqual([]);
    // Each kill affects only requests in flight; while a process is down the other one accepts everything.
    expect(crowd.refusals.filter(({ status }) => status !== 0 && status !== 503)).toEqual([]);
  },
  isFull ? 1_200_000 : 600_000,
);
