import { randomUUID } from 'node:crypto';
import { keyFailed } from '@botyard/contracts/events/agents';
import type { DataOf } from '@botyard/contracts/events/definition';
import { keyInvalidated, resolveKey } from '@botyard/contracts/events/keys';
import { ask } from '@botyard/shared/bus/requests';
import { createRecipient } from '@botyard/shared/secrets/handover';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storeKey } from '../keys-services.ts';
import {
  forgetLastValidation,
  newKey,
  openProviderServices,
  type ProviderServices,
  shownKey,
  validate,
} from '../provider-services.ts';

let services: ProviderServices;
let keyId: string;
let apiKey: string;

beforeAll(async () => {
  services = await openProviderServices();
});

beforeEach(async () => {
  await services.harness.asOwner('delete from keys.keys');
  await services.harness.asOwner('delete from keys.outbox');
  ({ keyId, apiKey } = await newKey(services));
  services.model.setKey(apiKey, 'good');
});

afterAll(() => services?.close());

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

/** As agents reports it; resolves when it was handled. */
async function report(change: Partial<DataOf<typeof keyFailed>>): Promise<void> {
  const { harness, acme } = services;
  await harness.publish(keyFailed, {
    tenantId: acme.tenantId,
    keyId,
    provider: 'openai',
    failure: 'refused',
    resolvedAt: secondsAgo(0),
    failedAfterMs: 10,
    ...change,
  });
  await harness.settled('keys', 'agents');
  expect(await harness.asOwner('select from keys.dead_letters')).toEqual([]);
}

const events = async () => {
  const rows = await services.harness.asOwner<{ data: string }>(
    'select data from keys.outbox where subject like $1 order by id',
    [`%.event.${keyInvalidated.name}.%`],
  );
  return rows.map(({ data }) => keyInvalidated.schema.parse(JSON.parse(data)));
};

const chosen = async () => {
  const { keys, acme } = services;
  const { body } = await keys.call('GET', `/api/keys/${acme.tenantId}/resolve/openai`, { as: acme.admin });
  return body.keyId as string | null;
};

/** The key that agents receives when it asks for one for this model. */
const handedOver = async (model: string) => {
  const { harness, acme } = services;
  const { recipient } = createRecipient();
  const question = { tenantId: acme.tenantId, provider: 'openai', model, recipient } as const;
  return await ask(await harness.busAs('agents'), resolveKey, question);
};

describe('a key that its provider refused in a chat', () => {
  test('is marked, shown as such, announced once, and no longer chosen', async () => {
    await report({});
    await report({ resolvedAt: secondsAgo(5) });
    expect(await shownKey(services, keyId)).toMatchObject({
      status: 'invalid',
      statusReason: 'provider',
      invalidatedAt: expect.any(String),
    });
    const event = { tenantId: services.acme.tenantId, keyId, provider: 'openai', reason: 'provider' };
    expect(await events()).toEqual([expect.objectContaining(event)]);
    expect(await chosen()).toBeNull();
  });

  test('an older report changes nothing for a key that the provider accepted since; a newer one does', async () => {
    await report({});
    expect((await validate(services, keyId)).body.status).toBe('valid');
    expect((await shownKey(services, keyId)).status).toBe('active');
    await report({ resolvedAt: secondsAgo(30) });
    expect((await shownKey(services, keyId)).status).toBe('active');
    await report({});
    expect((await shownKey(services, keyId)).status).toBe('invalid');
    expect(await events()).toHaveLength(2);
  });

  test('an older report is ignored, even if a validation without a result followed the successful one', async () => {
    await validate(services, keyId);
    await forgetLastValidation(services);
    services.model.fail('models', { status: 500 });
    await validate(services, keyId);
    await report({ resolvedAt: secondsAgo(30) });
    expect((await shownKey(services, keyId)).status).toBe('active');
  });

  test("a person's decision is not changed", async () => {
    const { keys, acme } = services;
    await keys.call('PUT', `/api/keys/${acme.tenantId}/${keyId}/invalidate`, { as: acme.admin });
    await report({});
    expect(await shownKey(services, keyId)).toMatchObject({ statusReason: 'person' });
    expect(await events()).toMatchObject([{ reason: 'person' }]);
  });

  test('a report about a deleted key is ignored', async () => {
    const { keys, acme } = services;
    await keys.call('DELETE', `/api/keys/${acme.tenantId}/${keyId}`, { as: acme.admin });
    await report({});
    await report({ keyId: randomUUID() });
    expect(await events()).toEqual([]);
  });

  test('a report in the name of another tenant reaches no key', async () => {
    const { keys, other } = services;
    const foreign = await storeKey(keys, other);
    await report({ keyId: foreign });
    await report({ tenantId: other.tenantId });
    for (const failure of ['refused', 'limited'] as const) await report({ keyId: foreign, failure });
    const rows = await services.harness.asOwner<{ status: string; cool_until: null }>(
      'select status, cool_until from keys.keys',
    );
    expect(rows).toEqual([
      { status: 'active', cool_until: null },
      { status: 'active', cool_until: null },
    ]);
    expect(await events()).toEqual([]);
  });
});

describe('a key that its provider limits', () => {
  test.each<[string, () => Partial<DataOf<typeof keyFailed>>, number]>([
    ['as long as it was asked to', () => ({ retryAfterMs: 120_000 }), 120_000],
    ['30 s when nobody said', () => ({}), 30_000],
    ['10 minutes at most', () => ({ retryAfterMs: 86_400_000 }), 600_000],
    [
      'from the failure on, not from the news of it',
      () => ({ retryAfterMs: 60_000, resolvedAt: secondsAgo(20) }),
      40_000,
    ],
    [
      '10 minutes at most, whatever the report says of its time',
      () => ({ resolvedAt: '2999-01-01T00:00:00Z' }),
      600_000,
    ],
  ])('rests %s, and is chosen after that', async (_what, change, expectedMs) => {
    const reportedAt = Date.now();
    await report({ failure: 'limited', ...change() });
    const coolUntil = Date.parse((await shownKey(services, keyId)).coolUntil);
    expect(coolUntil).toBeGreaterThanOrEqual(reportedAt + expectedMs - 1000);
    expect(coolUntil).toBeLessThanOrEqual(Date.now() + expectedMs + 1000);
    expect(await chosen()).toBeNull();
    expect((await shownKey(services, keyId)).status).toBe('active');
    await services.harness.asOwner("update keys.keys set cool_until = now() - interval '1 ms'");
    expect(await chosen()).toBe(keyId);
    expect(await events()).toEqual([]);
  });

  test('a rest that would be over changes nothing, and a shorter one ends no longer one', async () => {
    await report({ failure: 'limited', resolvedAt: secondsAgo(120) });
    expect((await shownKey(services, keyId)).coolUntil).toBeNull();
    await report({ failure: 'limited', retryAfterMs: 300_000 });
    await report({ failure: 'limited', retryAfterMs: 1000 });
    const { coolUntil } = await shownKey(services, keyId);
    expect(Date.parse(coolUntil)).toBeGreaterThan(Date.now() + 250_000);
  });

  test('is limited for one model: other models still use it, and a caller learns when it is free', async () => {
    const limited = { failure: 'limited', retryAfterMs: 120_000 } as const;
    await report({ ...limited, model: 'one' });
    await report({ ...limited, model: 'two', retryAfterMs: 200_000 });
    expect(await handedOver('one')).toMatchObject({ keyId: null, isLimited: true });
    const { limitedForMs } = await handedOver('one');
    expect(limitedForMs).toBeGreaterThan(100_000);
    expect(limitedForMs).toBeLessThanOrEqual(120_000);
    expect(await handedOver('two')).toMatchObject({ keyId: null, isLimited: true });
    expect(await handedOver('three')).toMatchObject({ keyId, isLimited: false });
    // A report without a model limits all models.
    await report(limited);
    expect(await handedOver('three')).toMatchObject({ keyId: null, isLimited: true });
  });

  test('is limited for all models if it would be for more than 50, so that the row stays small', async () => {
    for (let model = 0; model <= 50; model += 1)
      await report({ failure: 'limited', retryAfterMs: 120_000, model: `model-${model}` });
    expect(await handedOver('another')).toMatchObject({ keyId: null, isLimited: true });
    const rows = await services.harness.asOwner('select cool_models from keys.keys');
    expect(rows).toEqual([{ cool_models: null }]);
  });
});
