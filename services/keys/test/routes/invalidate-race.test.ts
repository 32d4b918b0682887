import { keyFailed } from '@botyard/contracts/events/agents';
import { ask } from '@botyard/shared/bus/requests';
import { createRecipient } from '@botyard/shared/secrets/handover';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { patientResolveKey, startKeys, storeKey } from '../keys-services.ts';
import { addressesOf, openProviderServices, type ProviderServices } from '../provider-services.ts';

let services: ProviderServices;
let second: TestService;

beforeAll(async () => {
  services = await openProviderServices();
  second = await startKeys(services.harness, addressesOf(services.model));
});

afterAll(() => services?.close());

type End = (service: TestService, keyId: string) => Promise<number>;

const path = (keyId: string, end = '') => `/api/keys/${services.acme.tenantId}/${keyId}${end}`;
const ends: Readonly<Record<string, End>> = {
  invalidate: async (service, keyId) =>
    (await service.call('PUT', path(keyId, '/invalidate'), { as: services.acme.admin })).status,
  delete: async (service, keyId) =>
    (await service.call('DELETE', path(keyId), { as: services.acme.admin })).status,
  validate: async (service, keyId) =>
    (await service.call('POST', path(keyId, '/validate'), { as: services.acme.admin })).status,
};

/** The key that both instances choose now, over HTTP and over the bus. */
async function resolveEverywhere(): Promise<{ keyId: string | null; text: string }[]> {
  const { harness, acme, keys } = services;
  const overHttp = [keys, second].map(async (service) => {
    const { status, body, text } = await service.call('GET', `/api/keys/${acme.tenantId}/resolve/openai`, {
      as: acme.admin,
    });
    expect(status).toBe(200);
    return { keyId: body.keyId as string | null, text };
  });
  const bus = await harness.busAs('agents');
  const overBus = Array.from({ length: 2 }, async () => {
    const { recipient } = createRecipient();
    const answer = await ask(bus, patientResolveKey, {
      tenantId: acme.tenantId,
      provider: 'openai',
      recipient,
    });
    return { keyId: answer.keyId, text: JSON.stringify(answer) };
  });
  return await Promise.all([...overHttp, ...overBus]);
}

test('S-11: no resolution that begins after the response chooses the key, for any way to end it, on two concurrent instances', async () => {
  const { keys, acme, harness, model } = services;
  model.setKey('nobody has this one', 'good');
  const names = Object.keys(ends);
  const counts = { before: 0, after: 0 };
  for (let round = 0; round < 24; round += 1) {
    const [next, ended] = [await storeKey(keys, acme), await storeKey(keys, acme)];
    const during = Array.from({ length: 3 }, resolveEverywhere);
    // Ends it in two ways simultaneously, on both instances: after the first response the key is no longer chosen.
    const endings = [names[round % 3]!, names[(round >> 1) % 3]!].map(async (name, index) => {
      const status = await ends[name]!(index ? second : keys, ended);
      expect([200, 204, 404]).toContain(status);
      return await resolveEverywhere();
    });
    const report = harness.publish(keyFailed, {
      tenantId: acme.tenantId,
      keyId: ended,
      provider: 'openai',
      failure: 'refused',
      resolvedAt: new Date().toISOString(),
      failedAfterMs: 0,
    });
    for (const answers of await Promise.all(endings)) {
      counts.after += answers.length;
      expect(answers.filter(({ keyId }) => keyId !== next).map(({ text }) => text)).toEqual([]);
    }
    for (const { keyId } of (await Promise.all(during)).flat()) {
      counts.before += 1;
      expect([ended, next]).toContain(keyId);
    }
    await report;
    await harness.settled('keys', 'agents');
    await ends.delete!(keys, next);
  }
  process.stdout.write(
    `S-11: ${counts.before} resolutions during, ${counts.after} after, 0 of an ended key\n`,
  );
});
