import { randomBytes } from 'node:crypto';
import { ask } from '@botyard/shared/bus/requests';
import { createRecipient } from '@botyard/shared/secrets/handover';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createResealer } from '../../src/domain/resealer.ts';
import {
  type KeysServices,
  openKeysServices,
  patientResolveKey,
  startKeys,
  storeKey,
} from '../keys-services.ts';

let services: KeysServices;
const added = `added:${randomBytes(32).toString('base64url')}`;
const prefix = Keyring.parse(added).sealedPrefix;

beforeAll(async () => {
  services = await openKeysServices();
});

beforeEach(() => services.harness.asOwner('delete from keys.keys'));

afterAll(() => services?.harness.close());

const sealedRows = () =>
  services.harness.asOwner<{ key_id: string; sealed_key: string }>(
    'select key_id, sealed_key from keys.keys',
  );

const isResealed = async () => (await sealedRows()).every(({ sealed_key }) => sealed_key.startsWith(prefix));

/** Resolves over the bus as agents does it, by whichever instance answers, and opens the key. */
async function handedOver(): Promise<string | undefined> {
  const asker = createRecipient();
  const { tenantId } = services.acme;
  const question = { tenantId, provider: 'openai', recipient: asker.recipient } as const;
  const { sealedKey } = await ask(await services.harness.busAs('agents'), patientResolveKey, question);
  return sealedKey === null ? undefined : (await asker.open(sealedKey)).reveal();
}

test('S-03: a rotation under load: every resolution finds its key, and in the end the old sealing key is no longer needed', async () => {
  const { harness, acme } = services;
  const [old] = [harness.secretsKeys];
  await services.keys.stop();
  // The new key is known everywhere before it seals anywhere.
  const prepared = await startKeys(harness, { SECRETS_KEYS: `${old},${added}` });
  for (let count = 0; count < 30; count += 1)
    await storeKey(prepared, acme, { apiKey: `sk-number-${count}-0123` });
  let isOver = false;
  const resolvedKeys: (string | undefined)[] = [];
  const asking = Array.from({ length: 4 }, async () => {
    while (!isOver) resolvedKeys.push(await handedOver());
  });
  const rotated = await startKeys(harness, { SECRETS_KEYS: `${added},${old}` });
  await eventually('everything is sealed anew', isResealed);
  const before = resolvedKeys.length;
  await eventually('it is still asked', () => resolvedKeys.length > before + 100);
  await prepared.stop();
  isOver = true;
  await Promise.all(asking);
  expect(resolvedKeys.filter((key) => key !== 'sk-number-29-0123')).toEqual([]);
  await rotated.stop();
  services.keys = await startKeys(harness, { SECRETS_KEYS: added });
  expect(await handedOver()).toBe('sk-number-29-0123');
  const lines = harness.logLines.filter((line) => line.includes('sealed anew'));
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ column: 'keys.keys.sealed_key', resealed: 30, overtaken: 0, unreadable: 0 }),
  );
  process.stdout.write(`rotation: ${resolvedKeys.length} resolutions, 0 failures\n`);
  services.keys = await startKeys(harness, { SECRETS_KEYS: `${old},${added}` });
});

/** Walks once through the table, as an instance does at its start. */
async function walk(setting: string): Promise<void> {
  const resealer = createResealer({
    database: services.harness.databaseAs('keys'),
    keyring: Keyring.parse(setting),
    log: services.harness.log('test'),
  });
  resealer.start();
  await eventually('the walk is over', isResealed).finally(() => resealer.stop());
}

test('several concurrent instances, over more rows than one batchSize, seal every row once', async () => {
  const { harness, keys, acme } = services;
  for (let count = 0; count < 120; count += 1) await storeKey(keys, acme);
  const lines = harness.logLines.length;
  const setting = `${added},${harness.secretsKeys}`;
  await Promise.all([walk(setting), walk(setting), walk(setting)]);
  const counts = harness.logLines
    .slice(lines)
    .filter((line) => line.includes('sealed anew'))
    .map((line) => JSON.parse(line) as { resealed: number });
  expect(counts.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(120);
  const openable = Keyring.parse(setting);
  expect((await sealedRows()).every(({ sealed_key }) => sealed_key.startsWith(openable.sealedPrefix))).toBe(
    true,
  );
});

test('S-03: a row that was tampered with is not changed and delays no other', async () => {
  const { harness, keys, acme, other } = services;
  const tampered = await storeKey(keys, acme);
  const moved = await storeKey(keys, acme);
  const sound = await storeKey(keys, acme);
  await harness.asOwner(
    "update keys.keys set sealed_key = overlay(sealed_key placing 'AAAA' from 140) where key_id = $1",
    [tampered],
  );
  await harness.asOwner('update keys.keys set tenant_id = $2 where key_id = $1', [moved, other.tenantId]);
  const before = new Map((await sealedRows()).map((row) => [row.key_id, row.sealed_key]));
  const resealer = createResealer({
    database: harness.databaseAs('keys'),
    keyring: Keyring.parse(`${added},${harness.secretsKeys}`),
    log: harness.log('test'),
  });
  const lines = harness.logLines.length;
  resealer.start();
  await eventually('both are reported', () =>
    harness.logLines
      .slice(lines)
      .some((line) => line.includes('secrets can not be opened') && line.includes('"unreadable":2')),
  );
  await resealer.stop();
  const after = new Map((await sealedRows()).map((row) => [row.key_id, row.sealed_key]));
  expect(after.get(tampered)).toBe(before.get(tampered));
  expect(after.get(moved)).toBe(before.get(moved));
  expect(after.get(sound)).toMatch(new RegExp(`^${prefix}`));
});

test('a change at the same moment wins', async () => {
  const { harness, keys, acme } = services;
  await storeKey(keys, acme);
  const database = harness.databaseAs('keys');
  // Between the read and the write of the walk somebody else changes the row.
  const keyring = Keyring.parse(`${added},${harness.secretsKeys}`);
  const seal = keyring.seal.bind(keyring);
  keyring.seal = async (secret, binding) => {
    await harness.asOwner("update keys.keys set sealed_key = 'changed meanwhile'");
    return await seal(secret, binding);
  };
  const lines = harness.logLines.length;
  const resealer = createResealer({ database, keyring, log: harness.log('test') });
  resealer.start();
  await eventually('the next walk has seen the change', () => {
    resealer.wake();
    return harness.logLines.slice(lines).some((line) => line.includes('"unreadable":1'));
  });
  await resealer.stop();
  expect(await sealedRows()).toEqual([expect.objectContaining({ sealed_key: 'changed meanwhile' })]);
});
