import { eventually } from '@botyard/testing/eventually';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import { AckPolicy, DeliverPolicy, DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultless, printFigures } from '../rig/history.ts';
import { OwnNats } from '../rig/own-nats.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
const messages = isFull ? 1000 : 60;

/** The events that each service consumed from each owner 150 commits before consumers had versions. */
const formerly: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  agents: {
    tenancy: ['tenancy.tenant.deleted.v1', 'tenancy.bot.saved.v1', 'tenancy.bot.deleted.v1'],
    webhooks: ['webhooks.reply.delivered.v1'],
  },
  tenancy: { webhooks: ['webhooks.registration.changed.v1'] },
  keys: { tenancy: ['tenancy.tenant.deleted.v1'], agents: ['agents.key.failed.v1'] },
  usage: { tenancy: ['tenancy.tenant.deleted.v1'], agents: ['agents.turn.completed.v1'] },
  webhooks: {
    tenancy: ['tenancy.tenant.deleted.v1', 'tenancy.integration.saved.v1', 'tenancy.integration.deleted.v1'],
    agents: ['agents.reply.created.v1'],
  },
};

/** Makes streams and durable consumers as that release made them. */
async function makeFormerConsumers(harness: ServiceHarness): Promise<void> {
  const bus = await harness.busAs('gateway');
  const { manager } = bus.live();
  for (const owner of ['tenancy', 'keys', 'usage', 'webhooks', 'agents'])
    await manager.streams.add({
      name: bus.names.stream(owner),
      subjects: [bus.names.streamSubjects(owner)],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.New,
      max_age: 72 * 3600 * 1e9,
      max_bytes: 1024 ** 3,
      duplicate_window: 120 * 1e9,
      allow_msg_ttl: true,
    });
  for (const [service, owners] of Object.entries(formerly))
    for (const [owner, events] of Object.entries(owners))
      await manager.consumers.add(bus.names.stream(owner), {
        durable_name: service,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        ack_wait: 8e9,
        max_deliver: -1,
        max_ack_pending: 2000,
        filter_subjects: events.map((event) => `${bus.names.namespace}.event.${event}.*.*`),
      });
}

let nats: OwnNats;
let system: TestSystem;
let webhooks: Process;
let agents: Process;
let bot: ConnectedBot;

beforeAll(async () => {
  nats = await OwnNats.start();
  system = await TestSystem.open({ natsUrl: nats.url }, { prepare: makeFormerConsumers });
  [agents, webhooks] = await Promise.all([system.startAgents(), system.startWebhooks()]);
  bot = await system.createBot(agents);
});
afterAll(async () => {
  await system?.close();
  await nats?.stop();
});

/** The consumer as the former release made it, with everything behind it that it never took. */
async function giveBackFormerConsumer(): Promise<void> {
  const bus = await system.harness.busAs('gateway');
  const { manager } = bus.live();
  const stream = bus.names.stream('webhooks');
  const { delivered } = await manager.consumers.info(stream, 'agents');
  await manager.consumers.delete(stream, 'agents');
  await manager.consumers.add(stream, {
    durable_name: 'agents',
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: delivered.stream_seq + 1,
    ack_wait: 8e9,
    max_deliver: -1,
    max_ack_pending: 2000,
    filter_subjects: [`${bus.names.namespace}.event.webhooks.reply.delivered.v1.*.*`],
  });
}

test(
  'F-30: today’s version starts on the streams and consumers of one long ago: everything that waits or arrives is answered',
  async () => {
    const startedAt = performance.now();
    for (let number = 1; number <= messages / 2; number += 1)
      await system.say(webhooks, bot, { chat: number % 20, number });
    await system.answered();
    const answeredMs = Math.round(performance.now() - startedAt);
    await agents.stop();
    await giveBackFormerConsumer();
    for (let number = messages / 2 + 1; number <= messages; number += 1)
      await system.say(webhooks, bot, { chat: number % 20, number });
    const bus = await system.harness.busAs('gateway');
    await eventually('what waits is published', async () => {
      const rows = await system.harness.asOwner('select from webhooks.outbox where published_at is null');
      return rows.length === 0;
    });
    const backAt = performance.now();
    agents = await system.startAgents();
    await system.answered();
    const verdict = await system.verdict();
    printFigures('F-30', {
      ...verdict,
      'answered after ms': answeredMs,
      'waiting ones answered after ms': Math.round(performance.now() - backAt),
    });
    expect(verdict).toMatchObject(faultless);
    const { config } = await bus.live().manager.consumers.info(bus.names.stream('webhooks'), 'agents');
    expect(config.metadata).toMatchObject({ botyard_version: expect.any(String) });
  },
  isFull ? 1_200_000 : 600_000,
);
