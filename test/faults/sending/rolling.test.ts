import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultless, tell } from '../rig/history.ts';
import { type Process, Town, type TownBot } from '../rig/town.ts';
import { allSettled } from './sends.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const restarts = isFull ? 40 : 4;
const messagesPerSecond = isFull ? 20 : 10;
const chats = isFull ? 200 : 60;

let town: Town;
let folder: string;
let webhooks: Process[];
const bots: TownBot[] = [];
let turn = 0;

const start = () => town.startWebhooks({ DATA_DIR: folder });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botyard-sends-'));
  town = await Town.open();
  const [agents] = await Promise.all([town.startAgents(), town.startAgents()]);
  webhooks = await Promise.all([start(), start()]);
  for (let count = 0; count < 3; count++) bots.push(await town.createBot(agents));
});
afterAll(async () => {
  await town?.close();
  await rm(folder, { recursive: true, force: true });
});

test(
  `T-07: ${restarts} rolling restarts under load, with a slow platform: nothing is sent twice, nothing is lost`,
  async () => {
    town.messenger.delay('sendMessage', 700);
    const next = () => webhooks[turn++ % webhooks.length];
    const crowd = town.crowd(bots, next, { chats, messagesPerSecond });
    crowd.start();
    for (let restart = 0; restart < restarts; restart++) {
      await crowd.hears(messagesPerSecond);
      crowd.everybodySpeaks();
      await crowd.hears(messagesPerSecond);
      const fresh = await start();
      const old = webhooks[restart % 2]!;
      webhooks[restart % 2] = fresh;
      await old.stop();
    }
    await crowd.stop();
    await allSettled(town);
    const verdict = await town.verdict(crowd.history);
    tell('T-07', { ...verdict, restarts });
    expect(verdict).toMatchObject(faultless);
  },
  isFull ? 1_200_000 : 600_000,
);
