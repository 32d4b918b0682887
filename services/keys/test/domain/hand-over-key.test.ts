import { randomUUID } from 'node:crypto';
import { Resolution } from '@botyard/contracts/http/keys';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { createRecipient } from '@botyard/shared/secrets/handover';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type KeysServices,
  openKeysServices,
  patientResolveKey,
  startKeys,
  storeKey,
} from '../keys-services.ts';

let services: KeysServices;

beforeAll(async () => {
  services = await openKeysServices({
    PRIVATE_LLM_BASE_URL: 'http://llm.invalid:8080/v1',
    ANTHROPIC_API_KEY: 'sk-ant-platform-0123456789',
  });
});

beforeEach(() => services.harness.asOwner('delete from keys.keys'));

afterAll(() => services?.harness.close());

/** Asks as the agents service does. */
async function askFor(provider: 'openai' | 'anthropic' | 'private-llm', tenantId = services.acme.tenantId) {
  const asker = createRecipient();
  const bus = await services.harness.busAs('agents');
  const answer = await ask(bus, patientResolveKey, { tenantId, provider, recipient: asker.recipient });
  return { asker, answer };
}

describe('over the bus', () => {
  test('the chosen key is sealed for the requesting process, which alone can open it', async () => {
    const keyId = await storeKey(services.keys, services.acme, { apiKey: 'sk-proj-for-the-asker' });
    const { asker, answer } = await askFor('openai');
    expect(answer).toMatchObject({ keyId, source: 'tenant', host: 'openai.invalid' });
    expect((await asker.open(answer.sealedKey!)).reveal()).toBe('sk-proj-for-the-asker');
    const stranger = createRecipient();
    await expect(stranger.open(answer.sealedKey!)).rejects.toThrow();
    expect(answer.sealedKey).not.toBe((await askFor('openai')).answer.sealedKey);
  });

  test('an answer serves one question of one process: repeated, it opens nothing', async () => {
    await storeKey(services.keys, services.acme);
    const { asker, answer } = await askFor('openai');
    const { asker: later } = await askFor('openai');
    await expect(later.open(answer.sealedKey!)).rejects.toThrow();
    await asker.open(answer.sealedKey!);
    await expect(asker.open(answer.sealedKey!)).rejects.toThrow();
  });

  test('it is the same choice, with the same reasons, as the route answers', async () => {
    const { keys, acme } = services;
    await storeKey(keys, acme);
    await storeKey(keys, acme);
    const { answer } = await askFor('openai');
    const { body } = await keys.call('GET', `/api/keys/${acme.tenantId}/resolve/openai`, { as: acme.admin });
    expect(Resolution.parse(answer)).toEqual(body);
  });

  test("the platform's key is handed over the same way", async () => {
    const { asker, answer } = await askFor('anthropic');
    expect(answer).toMatchObject({ keyId: null, source: 'platform' });
    expect((await asker.open(answer.sealedKey!)).reveal()).toBe('sk-ant-platform-0123456789');
  });

  test('a private LLM without a key, and no key at all, hand over nothing', async () => {
    expect((await askFor('private-llm')).answer).toMatchObject({
      source: 'platform',
      sealedKey: null,
      host: 'llm.invalid:8080',
    });
    expect((await askFor('openai')).answer).toMatchObject({ source: 'none', sealedKey: null, host: null });
  });

  test("another tenant's request gets nothing of it", async () => {
    await storeKey(services.keys, services.acme);
    expect((await askFor('openai', services.other.tenantId)).answer).toMatchObject({
      source: 'none',
      considered: [],
    });
    expect((await askFor('openai', randomUUID())).answer.source).toBe('none');
  });

  test('a recipient that is not a point of the curve gets an error without detail', async () => {
    await storeKey(services.keys, services.acme);
    const bus = await services.harness.busAs('agents');
    const { tenantId } = services.acme;
    const recipient = { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' } as const;
    const asking = ask(bus, patientResolveKey, { tenantId, provider: 'openai', recipient });
    await expect(asking).rejects.toMatchObject({ status: 500, message: 'something went wrong on our side' });
  });
});

describe('S-03: a stored row that was tampered with is refused', () => {
  const refused = { keyId: null, source: 'none', sealedKey: null };
  const reason = 'can not be opened: it has to be stored again';

  async function sealedOf(keyId: string): Promise<string> {
    const [row] = await services.harness.asOwner<{ sealed_key: string }>(
      'select sealed_key from keys.keys where key_id = $1',
      [keyId],
    );
    return row!.sealed_key;
  }

  test.each([0, 2, 3, 4])('a bit flipped in any byte of part %i of the sealed value', async (part) => {
    const { harness, acme } = services;
    const keyId = await storeKey(services.keys, acme);
    const parts = (await sealedOf(keyId)).split('.');
    const database = harness.databaseAs('keys');
    const bytes = Buffer.from(parts[part]!, 'base64url');
    expect(bytes.length).toBeGreaterThan(11);
    for (const [at, byte] of bytes.entries()) {
      const flipped = Buffer.from(bytes);
      flipped[at] = byte ^ (1 << (at % 8));
      const sealed = parts.with(part, flipped.toString('base64url')).join('.');
      const statement = { name: 'flip', text: 'update keys.keys set sealed_key = $1', values: [sealed] };
      await withTenant(database, [acme.tenantId], (tx) => tx.query(statement));
      const { answer } = await askFor('openai');
      expect(answer, `byte ${at}`).toMatchObject({ ...refused, considered: [{ keyId, reason }] });
    }
  });

  test('moved to another tenant', async () => {
    const keyId = await storeKey(services.keys, services.acme);
    await services.harness.asOwner('update keys.keys set tenant_id = $1', [services.other.tenantId]);
    const { answer } = await askFor('openai', services.other.tenantId);
    expect(answer).toMatchObject({ ...refused, considered: [{ keyId, reason }] });
  });

  test.each([
    ['another identifier', 'key_id = $1', randomUUID()],
    ['another provider', "provider = $1, host = 'anthropic.invalid'", 'anthropic'],
  ])('given %s', async (_what, change, value) => {
    await storeKey(services.keys, services.acme);
    await services.harness.asOwner(`update keys.keys set ${change}`, [value]);
    const { answer } = await askFor(value === 'anthropic' ? 'anthropic' : 'openai');
    expect(answer.considered).toMatchObject([{ reason }]);
    expect(answer.keyId).toBeNull();
  });

  test('given the host that the provider has now', async () => {
    const keyId = await storeKey(services.keys, services.acme, { provider: 'private-llm' });
    await services.keys.stop();
    services.keys = await startKeys(services.harness, { PRIVATE_LLM_BASE_URL: 'http://stolen.invalid/v1' });
    await services.harness.asOwner("update keys.keys set host = 'stolen.invalid'");
    const { answer } = await askFor('private-llm');
    expect(answer).toMatchObject({ keyId: null, considered: [{ keyId, reason }] });
  });

  test('two sealed values swapped, and the next key in order serves', async () => {
    const { keys, acme, harness } = services;
    const third = await storeKey(keys, acme, { apiKey: 'sk-proj-the-third-key' });
    const [first, second] = [await storeKey(keys, acme), await storeKey(keys, acme)];
    const [ofFirst, ofSecond] = [await sealedOf(first), await sealedOf(second)];
    await harness.asOwner('update keys.keys set sealed_key = $1 where key_id = $2', [ofSecond, first]);
    await harness.asOwner('update keys.keys set sealed_key = $1 where key_id = $2', [ofFirst, second]);
    const { asker, answer } = await askFor('openai');
    expect(answer).toMatchObject({ keyId: third, considered: [{ reason }, { reason }, { keyId: third }] });
    expect((await asker.open(answer.sealedKey!)).reveal()).toBe('sk-proj-the-third-key');
  });
});
