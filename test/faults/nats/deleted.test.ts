import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultless, printFigures } from '../rig/history.ts';
import { OwnNats } from '../rig/own-nats.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

const messagesPerSecond = 5;
const rounds = process.env.BOTYARD_FAULTS === 'full' ? 10 : 1;
const timeoutMs = 280_000;

let nats: OwnNats;
let system: TestSystem;
let webhooks: Process;
let agents: Process;
let bot: ConnectedBot;
let loads = 0;

beforeAll(async () => {
  nats = await OwnNats.start();
  system = await TestSystem.open({ natsUrl: nats.url });
  [agents, webhooks] = await Promise.all([system.startAgents(), system.startWebhooks()]);
  bot = await system.createBot(agents);
}, 240_000);
afterAll(async () => {
  await system?.close();
  await nats?.stop();
}, 60_000);

type Names = (service: 'webhooks' | 'agents') => string;
type Manager = Awaited<ReturnType<TestSystem['harness']['busAs']>>['live'] extends () => { manager: infer M }
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
    const load = system.createLoad([bot], () => webhooks, {
      chats: 20,
      firstChat: 1 + 1000 * loads++,
      messagesPerSecond,
    });
    load.start();
    const bus = await system.harness.busAs('webhooks');
    let damagedAt = 0;
    for (let round = 0; round < rounds; round += 1) {
      await load.untilAnswered(2 * messagesPerSecond);
      // Nothing is taken out of the stream meanwhile.
      agents.signal('SIGSTOP');
      const accepted = load.acceptedCount;
      await load.untilAccepted(messagesPerSecond, accepted);
      await damage(bus.live().manager, bus.names.stream);
      damagedAt = performance.now();
      agents.signal('SIGCONT');
    }
    await load.untilAnswered(1);
    const goesOnMs = Math.round(performance.now() - damagedAt);
    await load.stop();
    const verdict = await system.verdict(load.history);
    printFigures('F-72', {
      ...verdict,
      what,
      'answers again after ms': goesOnMs,
      refused: load.refusals.length,
    });
    expect(verdict).toMatchObject(faultless);
    expect(load.refusals.filter(({ status }) => status !== 503)).toEqual([]);
  },
  timeoutMs,
);
