import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultless, tell } from '../rig/history.ts';
import { OwnNats } from '../rig/own-nats.ts';
import { type Process, Town, type TownBot } from '../rig/town.ts';

const messagesPerSecond = 5;
const rounds = process.env.BOTYARD_FAULTS === 'full' ? 10 : 1;
const timeoutMs = 280_000;

let nats: OwnNats;
let town: Town;
let webhooks: Process;
let agents: Process;
let bot: TownBot;
let crowds = 0;

beforeAll(async () => {
  nats = await OwnNats.start();
  town = await Town.open({ natsUrl: nats.url });
  [agents, webhooks] = await Promise.all([town.startAgents(), town.startWebhooks()]);
  bot = await town.createBot(agents);
}, 240_000);
afterAll(async () => {
  await town?.close();
  await nats?.stop();
}, 60_000);

type Names = (service: 'webhooks' | 'agents') => string;
type Manager = Awaited<ReturnType<Town['harness']['busAs']>>['live'] extends () => { manager: infer M }
  ? M
  : never;

test.each([
  [
    'the stream of deliveries is deleted',
    async (manager: Manager, stream: Names) => manager.streams.delete(stream('webhooks')),
  ],
  [
    'the stream of deliveries is purged',
    async (manager: Manager, stream: Names) => manager.streams.purge(stream('webhooks')),
  ],
  [
    'the consumers of deliveries and of answers are deleted',
    async (manager: Manager, stream: Names) => {
      await manager.consumers.delete(stream('webhooks'), 'agents');
      await manager.consumers.delete(stream('agents'), 'webhooks');
    },
  ],
])(
  'F-72: %s by hand while messages wait: everything is answered, once and in order',
  async (what, damage) => {
    const crowd = town.crowd([bot], () => webhooks, {
      chats: 20,
      firstChat: 1 + 1000 * crowds++,
      messagesPerSecond,
    });
    crowd.start();
    const bus = await town.harness.busAs('webhooks');
    let damagedAt = 0;
    for (let round = 0; round < rounds; round += 1) {
      await crowd.hears(2 * messagesPerSecond);
      // Nothing is taken out of the stream meanwhile.
      agents.signal('SIGSTOP');
      const accepted = crowd.acceptedCount;
      await crowd.accepts(messagesPerSecond, accepted);
      await damage(bus.live().manager, bus.names.stream);
      damagedAt = performance.now();
      agents.signal('SIGCONT');
    }
    await crowd.hears(1);
    const goesOnMs = Math.round(performance.now() - damagedAt);
    await crowd.stop();
    const verdict = await town.verdict(crowd.history);
    tell('F-72', { ...verdict, what, 'answers again after ms': goesOnMs, refused: crowd.refusals.length });
    expect(verdict).toMatchObject(faultless);
    expect(crowd.refusals.filter(({ status }) => status !== 503)).toEqual([]);
  },
  timeoutMs,
);
