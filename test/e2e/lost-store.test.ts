import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDemoTenant, type DemoTenant } from './demo-tenant.ts';
import { System } from './system.ts';

/** How long an installation may take until everything in NATS is set up again. */
const withinMs = 30_000;

let system: System;
let demo: DemoTenant;
beforeAll(async () => {
  system = await System.start();
  demo = await createDemoTenant(system);
  system.model.replyWith(({ messages }) => `re: ${messages.at(-1)?.content}`);
});
afterAll(() => system?.stop());

const answered = (chatId: number) => system.messenger.sent.waitFor((sent) => sent.chatId === String(chatId));
const say = (chatId: number) =>
  system.messenger.say({ botToken: demo.botToken, chatId, text: `hello ${chatId}` });

/** Uploads a document, and resolves when its bytes have come back from the object store. */
async function keepDocument(text: string): Promise<void> {
  const { sourceId } = await eventually('a document is accepted', async () => {
    const path = '/api/context-sources/upload?title=Terms';
    const response = await fetch(`${system.gatewayUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'x-tenant-id': demo.tenantId },
      body: text,
    });
    return response.status === 202 && ((await response.json()) as { sourceId: string });
  });
  await eventually('the document can be searched', async () => {
    const [row] = await system.asOwner<{ status: string }>(
      `select status from agents.context_sources where source_id = '${sourceId}'`,
    );
    return row?.status === 'ready';
  });
}

/** Resolves when live events tell of the bot's next answer. */
async function hearsAnswers(chatId: number): Promise<void> {
  const aborting = new AbortController();
  const response = await fetch(`${system.gatewayUrl}/api/events`, {
    headers: { 'x-tenant-id': demo.tenantId },
    signal: aborting.signal,
  });
  say(chatId);
  let heard = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    heard += chunk;
    if (heard.includes('event: message.sent')) break;
  }
  aborting.abort();
}

test('S-12: after the store of NATS is lost while all run, accounts, streams, consumers, files and live events are there again within 30 s', async () => {
  say(1);
  await answered(1);
  await keepDocument('Kettles are returned within 30 days.');
  const store = join(system.dataDir, 'nats');
  await rename(store, `${store}-lost`);
  const lostAt = performance.now();
  await system.kill('nats');
  say(2);
  const passed: Record<string, number> = {};
  const after = async (what: string, work: Promise<unknown>) => {
    await work;
    passed[what] = Math.round(performance.now() - lostAt);
  };
  await Promise.all([
    after('chat', answered(2)),
    after('files', keepDocument('Toasters are returned within 60 days.')),
    after('live events', hearsAnswers(3)),
    after(
      'events of tenancy and usage',
      (async () => {
        const other = await eventually('a tenant and its bot can be created', () =>
          createDemoTenant(system).catch(() => undefined),
        );
        system.messenger.say({ botToken: other.botToken, chatId: 4, text: 'hello 4' });
        await answered(4);
        await eventually('its turn is counted', async () => {
          const path = `/api/usage/${other.tenantId}`;
          return (await system.api<{ counters: { messages: number } }>('GET', path)).counters.messages === 1;
        });
      })(),
    ),
    after('health', system.healthy()),
  ]);
  process.stdout.write(`after the store of NATS was lost, ms: ${JSON.stringify(passed)}\n`);
  for (const [what, ms] of Object.entries(passed)) expect(ms, what).toBeLessThan(withinMs);
});
