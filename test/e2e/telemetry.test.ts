import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDemoTenant, type DemoTenant, webhookSecretToken } from './demo-tenant.ts';
import { type CollectedSpan, FakeCollector } from './fake-collector.ts';
import { System } from './system.ts';

let collector: FakeCollector;
let system: System;
let demo: DemoTenant;

beforeAll(async () => {
  collector = await FakeCollector.start();
  system = await System.start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  demo = await createDemoTenant(system);
});
afterAll(async () => {
  await system?.stop();
  await collector?.close();
});

let nextUpdate = 100;
const update = (chatId: number, text: string) => ({
  update_id: nextUpdate++,
  message: {
    message_id: nextUpdate,
    from: { id: chatId, is_bot: false, first_name: 'Ravi' },
    chat: { id: chatId, type: 'private', first_name: 'Ravi' },
    date: Math.floor(Date.now() / 1000),
    text,
  },
});

/** Each process sends its own spans, at its own time. */
const expectedSpans = [
  'botyard-gateway POST',
  'botyard-webhooks POST',
  'botyard-webhooks send part',
  'botyard-agents answer turn',
  'botyard-agents call model',
  'botyard-agents ask keys.key.resolve.v1',
  'botyard-keys answer keys.key.resolve.v1',
];

const question = 'canary-question-71f2';
const answer = 'canary-answer-93bb';

test('from the delivery to the send it is one trace, each span under the one that caused it', async () => {
  system.model.replyWith(answer);
  expect(await demo.deliver(update(4711, question))).toBe(200);
  await system.messenger.sent.waitFor((sent) => sent.chatId === '4711');
  const send = await eventually('the send is told', () =>
    collector.spans.find(({ name }) => name === 'send part'),
  );
  const trace = await eventually('the whole trace is told', () => {
    const spans = collector.spans.filter(({ traceId }) => traceId === send.traceId);
    const reported = new Set(spans.map(({ service, name }) => `${service} ${name}`));
    return expectedSpans.every((span) => reported.has(span)) ? spans : undefined;
  });
  const pathTo = (span: CollectedSpan | undefined): string[] =>
    span
      ? [...pathTo(trace.find(({ spanId }) => spanId === span.parentSpanId)), `${span.service} ${span.name}`]
      : [];
  const named = (name: string) => trace.find((span) => span.name === name);
  const turn = ['botyard-gateway POST', 'botyard-webhooks POST', 'botyard-agents answer turn'];
  expect(pathTo(named('call model'))).toEqual([...turn, 'botyard-agents call model']);
  expect(pathTo(named('send part'))).toEqual([...turn, 'botyard-webhooks send part']);
  expect(pathTo(named('answer keys.key.resolve.v1'))).toEqual([
    ...turn,
    'botyard-agents ask keys.key.resolve.v1',
    'botyard-keys answer keys.key.resolve.v1',
  ]);
  expect(trace.filter(({ parentSpanId }) => !parentSpanId)).toHaveLength(1);
});

test("S-01: no span has a secret or people's words in it", () => {
  const said = collector.bodies.join('\n');
  expect(said).toContain('answer turn');
  for (const canary of [question, answer, demo.botToken, webhookSecretToken])
    expect(said).not.toContain(canary);
});

test("a caller's headers decide neither whether spans are sent nor where they belong", async () => {
  const foreign = 'c'.repeat(32);
  const headers = { traceparent: `00-${foreign}-${'d'.repeat(16)}-00` };
  await fetch(`${system.gatewayUrl}/api/current-user`, { headers });
  await eventually('it is sampled as any other', () =>
    collector.spans.some(({ traceId }) => traceId === foreign),
  );
});

test('a collector that is unreachable changes nothing', async () => {
  await collector.close();
  system.model.replyWith('still here');
  expect(await demo.deliver(update(4712, 'hello'))).toBe(200);
  const sent = await system.messenger.sent.waitFor(({ chatId }) => chatId === '4712');
  expect(sent.params.text).toBe('still here');
  expect((await fetch(`${system.gatewayUrl}/api/health`)).status).toBe(200);
  const taken = await fetch(`${system.gatewayUrl}/api/otel/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(taken.status).toBe(503);
});

test('the only process of a service is restarted under load, and every request is answered', async () => {
  const failures: string[] = [];
  let isOver = false;
  const call = async () => {
    while (!isOver) {
      const response = await fetch(`${system.gatewayUrl}/api/usage/${demo.tenantId}`);
      const text = await response.text();
      if (!response.ok) failures.push(`${response.status} ${text}`);
    }
  };
  const load = Promise.all([call(), call(), call(), call()]);
  for (const service of ['usage', 'tenancy']) {
    const path = `/api/system/services/${service}/restart`;
    await system.api('POST', path, { status: 202 });
    const done = await eventually(`${service} is back`, async () => {
      const round = await system.api<{ state: string }>('GET', path);
      return round.state === 'running' ? undefined : round;
    });
    expect(done.state).toBe('done');
  }
  isOver = true;
  await load;
  expect(failures).toEqual([]);
});
