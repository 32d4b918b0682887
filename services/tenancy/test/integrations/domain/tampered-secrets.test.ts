import { randomUUID } from 'node:crypto';
import { Keyring } from '@botyard/shared/secrets/keyring';
import type { People } from '@botyard/testing/people';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSubject, sealSubject } from '../../../src/erasure/domain/subject.ts';
import {
  createBot,
  createIntegration,
  openTenancyServices,
  type TenancyServices,
} from '../../tenancy-services.ts';

interface Connected {
  people: People;
  botId: string;
  integrationId: string;
}

let services: TenancyServices;
let own: Connected;
let foreign: Connected;

beforeAll(async () => {
  services = await openTenancyServices();
});
afterAll(() => services?.close());

async function connect(people: People): Promise<Connected> {
  const botId = await createBot(services, people);
  return { people, botId, integrationId: await createIntegration(services, people, botId) };
}

beforeEach(async () => {
  [own, foreign] = [await connect(services.acme), await connect(services.other)];
});

/** A change has to open the sealed values, to seal all of them again. */
const change = ({ people, botId, integrationId }: Connected) =>
  services.tenancy.call('PUT', `/api/bots/${people.tenantId}/${botId}/integrations/${integrationId}`, {
    as: people.admin,
    body: { enabled: false },
  });

const sealedOf = async ({ integrationId }: Connected) => {
  const [row] = await services.harness.asOwner<{ sealed: string }>(
    'select sealed_secrets as sealed from tenancy.integrations where integration_id = $1',
    [integrationId],
  );
  return row!.sealed;
};

const put = (sealed: string, { integrationId }: Connected) =>
  services.harness.asOwner('update tenancy.integrations set sealed_secrets = $1 where integration_id = $2', [
    sealed,
    integrationId,
  ]);

const ours = { error: 'something went wrong on our side' };

describe("S-03: an integration's sealed secrets are refused", () => {
  test('swapped with those of another tenant', async () => {
    const [ofOwn, ofForeign] = [await sealedOf(own), await sealedOf(foreign)];
    await put(ofForeign, own);
    await put(ofOwn, foreign);
    for (const one of [own, foreign]) {
      const { status, body } = await change(one);
      expect([status, body]).toEqual([500, ours]);
    }
    expect(await sealedOf(own)).toBe(ofForeign);
  });

  test('put into another integration of the same tenant', async () => {
    const sibling = await connect(services.acme);
    await put(await sealedOf(sibling), own);
    expect((await change(own)).status).toBe(500);
    expect((await change(sibling)).status).toBe(200);
  });

  test('with any sealed byte changed', async () => {
    const sealed = await sealedOf(own);
    const parts = sealed.split('.');
    for (const [index, part] of parts.entries()) {
      if (part === '') continue;
      const bytes = Buffer.from(part, 'base64url');
      const at = bytes.length >> 1;
      bytes[at] = (bytes[at] ?? 0) ^ 0x40;
      await put(parts.with(index, bytes.toString('base64url')).join('.'), own);
      expect([index, (await change(own)).status]).toEqual([index, 500]);
    }
    await put(sealed, own);
    expect((await change(own)).status).toBe(200);
  });
});

test('S-03: the subject of an erasure opens only in its own row', async () => {
  const keyring = Keyring.parse(services.harness.secretsKeys);
  const key = { tenantId: randomUUID(), erasureId: randomUUID() };
  const subject = { accounts: [], conversations: [{ conversationId: randomUUID(), isPrivate: true }] };
  const sealedSubject = await sealSubject(keyring, key, subject);
  expect(await openSubject(keyring, { ...key, sealedSubject })).toEqual(subject);
  for (const other of [{ tenantId: randomUUID() }, { erasureId: randomUUID() }])
    await expect(openSubject(keyring, { ...key, ...other, sealedSubject })).rejects.toThrow(/something else/);
});
