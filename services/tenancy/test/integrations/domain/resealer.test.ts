import { randomBytes } from 'node:crypto';
import { integrationBinding } from '@botyard/contracts/events/tenancy';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createResealer } from '../../../src/integrations/domain/resealer.ts';
import { createTokenHash } from '../../../src/integrations/domain/token-hash.ts';
import {
  createBot,
  createIntegration,
  openTenancyServices,
  type TenancyServices,
} from '../../tenancy-services.ts';

let services: TenancyServices;

beforeAll(async () => {
  services = await openTenancyServices();
});

afterAll(() => services?.close());

test("S-03: after a rotation integrations and the key of the hashes are resealed, and the hashes don't change", async () => {
  const { harness, acme } = services;
  const added = `added:${randomBytes(32).toString('base64url')}`;
  const botId = await createBot(services, acme);
  await createIntegration(services, acme, botId);
  const database = harness.databaseAs('tenancy');
  const token = new Secret('1:token');
  const before = await createTokenHash(database, Keyring.parse(harness.secretsKeys))(token);
  const keyring = Keyring.parse(`${added},${harness.secretsKeys}`);
  const resealer = createResealer({ database, keyring, log: harness.log('tenancy') });
  resealer.start();
  const read = () =>
    harness.asOwner<{ tenantId: string; integrationId: string; sealed: string; ofHashes: string }>(
      `select tenant_id as "tenantId", integration_id as "integrationId", sealed_secrets as sealed,
         (select sealed_key from tenancy.lookup_keys) as "ofHashes" from tenancy.integrations`,
    );
  const [row] = await eventually('both are sealed anew', async () => {
    const rows = await read();
    return (
      rows.every(({ sealed, ofHashes }) =>
        [sealed, ofHashes].every((text) => text.startsWith(keyring.sealedPrefix)),
      ) && rows
    );
  });
  await resealer.stop();
  const alone = Keyring.parse(added);
  expect((await alone.open(row!.sealed, integrationBinding(row!))).reveal()).toContain('botToken');
  expect(await createTokenHash(database, alone)(token)).toBe(before);
});
