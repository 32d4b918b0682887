import { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTokenHash } from '../../../src/integrations/domain/token-hash.ts';

let harness: ServiceHarness;

beforeAll(async () => {
  harness = await ServiceHarness.open();
});

afterAll(() => harness?.close());

test('instances that hash for the first time simultaneously create one key and agree on every hash', async () => {
  const keyring = Keyring.parse(harness.secretsKeys);
  const database = harness.databaseAs('tenancy');
  const instances = Array.from({ length: 8 }, () => createTokenHash(database, keyring));
  const token = new Secret('1:token');
  const hashes = await Promise.all(instances.flatMap((hash) => [hash(token), hash(token)]));
  expect(new Set(hashes).size).toBe(1);
  expect(await harness.asOwner('select from tenancy.lookup_keys')).toHaveLength(1);
  expect(await instances[0]?.(new Secret('1:Token'))).not.toBe(hashes[0]);
});

test('the key and the token are in no row, and another keyring can not use the kept key', async () => {
  const database = harness.databaseAs('tenancy');
  const [row] = await harness.asOwner<{ sealed_key: string }>('select sealed_key from tenancy.lookup_keys');
  expect(row?.sealed_key).toMatch(/^eyJ/);
  const stranger = Keyring.parse(`test:${Buffer.alloc(32, 1).toString('base64url')}`);
  await expect(createTokenHash(database, stranger)(new Secret('1:token'))).rejects.toThrow();
});

test('a failure to load the key is not remembered', async () => {
  const keyring = Keyring.parse(harness.secretsKeys);
  const hash = createTokenHash(harness.databaseAs('tenancy'), keyring);
  await harness.asOwner('alter table tenancy.lookup_keys rename to hidden');
  await expect(hash(new Secret('1:token'))).rejects.toThrow();
  await harness.asOwner('alter table tenancy.hidden rename to lookup_keys');
  expect(await hash(new Secret('1:token'))).toMatch(/^[\w-]{43}$/);
});
