import { randomUUID } from 'node:crypto';
import { keyStored, resolveKey } from '@botyard/contracts/events/keys';
import { answer } from '@botyard/shared/bus/requests';
import { sealFor } from '@botyard/shared/secrets/handover';
import { Secret } from '@botyard/shared/secrets/secret';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createKeysClient, type KeysClient, type WantedKey } from '../../src/clients/keys.ts';

let harness: ServiceHarness;
let client: KeysClient;
/** Tenants for whose calls the played service was asked for a key. */
let asked: string[] = [];
/** Keys that the played service knows; a tenant without one gets the platform's. */
const keyOf = new Map<string, string>();
const limited = new Set<string>();

beforeAll(async () => {
  harness = await ServiceHarness.open();
  const keys = await harness.busAs('keys');
  client = createKeysClient(await harness.busAs('agents'));
  answer(keys, resolveKey, async ({ tenantId, recipient }) => {
    asked.push(tenantId);
    const keyId = keyOf.get(tenantId) ?? null;
    const sealedKey = await sealFor(recipient, new Secret(keyId ? 'of the tenant' : 'of the platform'));
    const considered = keyId ? [{ keyId, reason: 'used' }] : [];
    const isLimited = limited.has(tenantId);
    const source = keyId ? ('tenant' as const) : ('platform' as const);
    return { keyId, source, considered, sealedKey, host: 'model', isLimited };
  });
  await keys.live().connection.flush();
});

afterEach(() => {
  asked = [];
  vi.restoreAllMocks();
});

afterAll(() => harness?.close());

const wantedBy = (tenantId: string = randomUUID()): WantedKey => ({
  tenantId,
  provider: 'openai',
  model: 'any',
  botId: randomUUID(),
  agentId: randomUUID(),
});
const timesAsked = ({ tenantId }: WantedKey) => asked.filter((name) => name === tenantId).length;

/** Resolves when an answer of the service is remembered. */
const remembered = (wanted: WantedKey) =>
  eventually('it is asked no more', async () => {
    const before = timesAsked(wanted);
    await client.resolve(wanted);
    return timesAsked(wanted) === before;
  });

test('that a tenant has no key is remembered, and the platform’s key serves its calls', async () => {
  const wanted = wantedBy();
  await remembered(wanted);
  const { source, apiKey, keyHost } = await client.resolve(wanted);
  expect([source, apiKey?.reveal(), keyHost]).toEqual(['platform', 'of the platform', 'model']);
});

test('the keys service is asked separately for another bot or agent, and for another tenant', async () => {
  const wanted = wantedBy();
  await remembered(wanted);
  const before = timesAsked(wanted);
  await client.resolve({ ...wanted, botId: randomUUID() });
  await client.resolve({ ...wanted, agentId: randomUUID() });
  expect(timesAsked(wanted)).toBe(before + 2);
  const other = { ...wanted, tenantId: randomUUID() };
  await client.resolve(other);
  expect(timesAsked(other)).toBe(1);
});

test("a tenant's key is never cached, nor is the platform's key while the tenant's own is limited", async () => {
  const [owner, resting] = [wantedBy(), wantedBy()];
  keyOf.set(owner.tenantId, randomUUID());
  limited.add(resting.tenantId);
  for (const _ of [1, 2]) {
    expect((await client.resolve(owner)).apiKey?.reveal()).toBe('of the tenant');
    await client.resolve(resting);
  }
  expect([timesAsked(owner), timesAsked(resting)]).toEqual([2, 2]);
});

test('a key that a tenant stores serves its next calls', async () => {
  const wanted = wantedBy();
  await remembered(wanted);
  keyOf.set(wanted.tenantId, randomUUID());
  await harness.publish(keyStored, { ...wanted, keyId: randomUUID() });
  const ownServes = async () => (await client.resolve(wanted)).source === 'tenant';
  await eventually('its own key serves', ownServes, beforeItExpires);
});

test('nothing is remembered for longer than 30 s', async () => {
  const wanted = wantedBy();
  await remembered(wanted);
  // The time is read again once a millisecond.
  await client.resolve(wantedBy());
  const before = timesAsked(wanted);
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 31_000);
  await client.resolve(wanted);
  expect(timesAsked(wanted)).toBe(before + 1);
});
