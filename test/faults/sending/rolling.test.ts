import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultless, printFigures } from '../rig/history.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';
import { allSettled } from './sends.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const restarts = isFull ? 40 : 4;
const messagesPerSecond = isFull ? 20 : 10;
const chats = isFull ? 200 : 60;

let system: TestSystem;
let folder: string;
let webhooks: Process[];
const bots: ConnectedBot[] = [];
let turn = 0;

const start = () => system.startWebhooks({ DATA_DIR: folder });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botyard-sends-'));
  system = await TestSystem.open();
  const [agents] = await Promise.all([system.startAgents(), system.startAgents()]);
  webhooks = await Promise.all([start(), start()]);
  for (let count = 0; count < 3; count++) bots.push(await system.createBot(agents));
});
afterAll(async () => {
  await system?.close();
  await rm(folder, { recursive: true, force: true });
});

test(
  `T-07: ${restarts} rolling restarts under load, with a slow platform: nothing is sent twice, nothing is lost`,
  async () => {
    system.messenger.delay('sendMessage', 700);
    const next = () => webhooks[turn++ % webhooks.length];
    const load = system.createLoad(bots, next, { chats, messagesPerSecond });
    load.start();
    for (let restart = 0; restart < restarts; restart++) {
      await load.untilAnswered(messagesPerSecond);
      load.sendBurst();
      await load.untilAnswered(messagesPerSecond);
      const fresh = await start();
      const old = webhooks[restart % 2]!;
      webhooks[restart % 2] = fresh;
      await old.stop();
    }
    await load.stop();
    await allSettled(system);
    const verdict = await system.verdict(load.history);
    printFigures('T-07', { ...verdict, restarts });
    expect(verdict).toMatchObject(faultless);
  },
  isFull ? 1_200_000 : 600_000,
);
