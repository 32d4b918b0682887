import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultless, printFigures } from '../rig/history.ts';
import { OwnNats } from '../rig/own-nats.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const chats = 20;
/** Messages before the snapshot, and between it and the moment in which the server falls back to it. */
const [before, lost] = isFull ? [200, 1000] : [20, 140];
const rounds = isFull ? 3 : 1;

let nats: OwnNats;
let system: TestSystem;
let webhooks: Process;
let agents: Process;
let bot: ConnectedBot;
let number = 0;

beforeAll(async () => {
  nats = await OwnNats.start();
  system = await TestSystem.open({ natsUrl: nats.url });
  [agents, webhooks] = await Promise.all([system.startAgents(), system.startWebhooks()]);
  bot = await system.createBot(agents);
});
afterAll(async () => {
  await system?.close();
  await nats?.stop();
});

async function say(count: number): Promise<void> {
  for (let said = 0; said < count; said += 1) {
    number += 1;
    await system.say(webhooks, bot, { chat: number % chats, number });
  }
}

const allPublished = () =>
  eventually('what was accepted is published', async () => {
    const waiting = await system.harness.asOwner('select from webhooks.outbox where published_at is null');
    return waiting.length === 0;
  });

test(
  'F-31: the store of NATS is set back while agents is down, and everything that was accepted is answered, once and in order',
  async () => {
    const answeredMs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await say(before);
      await system.answered();
      await agents.stop();
      await nats.copyStore();
      await say(lost);
      await allPublished();
      await nats.kill();
      await nats.restoreStore();
      await nats.startAgain();
      const backAt = performance.now();
      agents = await system.startAgents();
      await system.answered({ timeoutMs: 300_000 });
      answeredMs.push(Math.round(performance.now() - backAt));
    }
    const verdict = await system.verdict();
    printFigures('F-31', {
      ...verdict,
      'lost by NATS': lost * rounds,
      'answered after ms': answeredMs.join(' '),
    });
    expect(verdict).toMatchObject(faultless);
  },
  isFull ? 1_200_000 : 600_000,
);
