import { RecipientKey } from '@botyard/contracts/events/keys';
import { decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { createRecipient, sealFor } from '../../src/secrets/handover.ts';
import { Secret } from '../../src/secrets/secret.ts';

const secret = new Secret('sk-proj-handed-over');

test('only the recipient opens a secret that was sealed for it', async () => {
  const [asker, other] = [createRecipient(), createRecipient()];
  const jwe = await sealFor(asker.recipient, secret);
  const opened = await asker.open(jwe);
  expect(opened).toBeInstanceOf(Secret);
  expect(opened.reveal()).toBe('sk-proj-handed-over');
  await expect(other.open(jwe)).rejects.toThrow();
});

test('only a public P-256 key and a compact JWE are transmitted, and neither contains more', async () => {
  const { recipient } = createRecipient();
  expect(RecipientKey.parse(recipient)).toEqual(recipient);
  expect(Object.keys(recipient).sort()).toEqual(['crv', 'kty', 'x', 'y']);
  const jwe = await sealFor(recipient, secret);
  expect(decodeProtectedHeader(jwe)).toMatchObject({ alg: 'ECDH-ES', enc: 'A256GCM' });
  expect(Buffer.from(jwe.split('.')[3]!, 'base64url').toString('latin1')).not.toContain('sk-proj');
});

test('sealing twice gives two values, by ephemeral keys', async () => {
  const { recipient } = createRecipient();
  expect(await sealFor(recipient, secret)).not.toBe(await sealFor(recipient, secret));
});

test('one answer is opened, and no second one: neither the same nor another for the same key', async () => {
  const asker = createRecipient();
  const [jwe, more] = [await sealFor(asker.recipient, secret), await sealFor(asker.recipient, secret)];
  expect((await asker.open(jwe)).reveal()).toBe('sk-proj-handed-over');
  await expect(asker.open(jwe)).rejects.toThrow(/before/);
  await expect(asker.open(more)).rejects.toThrow(/before/);
});

test('a recorded answer opens for no later question of the same process', async () => {
  const first = createRecipient();
  const recorded = await sealFor(first.recipient, secret);
  await expect(createRecipient().open(recorded)).rejects.toThrow(/decryption/);
});

test('an altered value is refused, whichever part was touched', async () => {
  for (const index of [0, 2, 3, 4]) {
    const asker = createRecipient();
    const parts = (await sealFor(asker.recipient, secret)).split('.');
    const bytes = Buffer.from(parts[index]!, 'base64url');
    bytes[bytes.length >> 1]! ^= 1;
    await expect(asker.open(parts.with(index, bytes.toString('base64url')).join('.'))).rejects.toThrow();
  }
});

test('a public key that is no point of the curve is refused', async () => {
  const { recipient } = createRecipient();
  await expect(sealFor({ ...recipient, x: recipient.y, y: recipient.x }, secret)).rejects.toThrow();
  await expect(sealFor({ ...recipient, x: 'AA' }, secret)).rejects.toThrow();
});
