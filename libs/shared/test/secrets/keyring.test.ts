import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { Keyring } from '../../src/secrets/keyring.ts';
import { Secret } from '../../src/secrets/secret.ts';

const entry = (kid: string) => `${kid}:${randomBytes(32).toString('base64url')}`;
const binding = { purpose: 'provider-key', tenantId: 'tenant-1', recordId: 'key-1', provider: 'openai' };

const [oldEntry, newEntry] = [entry('2025'), entry('2026')];
const keyring = Keyring.parse(newEntry);
let sealed: string;

beforeAll(async () => {
  sealed = await keyring.seal(new Secret('plain-value'), binding);
});

test('a sealed value opens with the same binding, in any order of its fields', async () => {
  const { purpose, tenantId, recordId, provider } = binding;
  const opened = await keyring.open(sealed, { provider, recordId, tenantId, purpose });
  expect(opened.reveal()).toBe('plain-value');
  expect(opened).toBeInstanceOf(Secret);
});

test('sealing twice gives two values, and neither shows the plain one or the binding', async () => {
  const again = await keyring.seal(new Secret('plain-value'), binding);
  expect(again).not.toBe(sealed);
  const decoded = sealed.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
  expect(decoded.join()).not.toMatch(/plain-value|tenant-1|openai/);
});

test('any text is unchanged after sealing and opening', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      const opened = await keyring.open(await keyring.seal(new Secret(text), binding), binding);
      expect(opened.reveal()).toBe(text);
    }),
    { numRuns: 50 },
  );
});

describe('S-03: is refused', () => {
  test.each(['purpose', 'tenantId', 'recordId', 'provider'])('with another %s', async (field) => {
    await expect(keyring.open(sealed, { ...binding, [field]: 'other' })).rejects.toThrow(/something else/);
  });

  test('with a field more, a field less, or the contents of two fields swapped', async () => {
    const { provider: _provider, ...less } = binding;
    const swapped = { ...binding, tenantId: binding.recordId, recordId: binding.tenantId };
    for (const other of [{ ...binding, host: 'x' }, less, swapped]) {
      await expect(keyring.open(sealed, other)).rejects.toThrow(/something else/);
    }
  });

  test('after any single flipped bit', async () => {
    const parts = sealed.split('.');
    let flips = 0;
    for (const [index, part] of parts.entries()) {
      const bytes = Buffer.from(part, 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit += 1) {
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        const altered = parts.with(index, flipped.toString('base64url')).join('.');
        await expect(keyring.open(altered, binding), `part ${index}, bit ${bit}`).rejects.toThrow();
        flips += 1;
      }
    }
    process.stdout.write(`S-03: ${flips} flipped bits, all refused\n`);
  });

  test('with any single character changed, also where it holds bits that no byte needs', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (const [at, letter] of [...sealed].entries()) {
      if (letter === '.') continue;
      const changed = alphabet[alphabet.indexOf(letter) ^ 1]!;
      const altered = `${sealed.slice(0, at)}${changed}${sealed.slice(at + 1)}`;
      await expect(keyring.open(altered, binding), `character ${at}`).rejects.toThrow();
    }
  });

  test('cut, empty, or of another kind', async () => {
    for (const value of ['', 'x', sealed.slice(0, -4), `${sealed}.`, sealed.split('.').slice(1).join('.')]) {
      await expect(keyring.open(value, binding)).rejects.toThrow();
    }
  });

  test('under another key of the same name', async () => {
    await expect(Keyring.parse(entry('2026')).open(sealed, binding)).rejects.toThrow();
  });
});

describe('rotation', () => {
  test('the first key seals, all keys open, and values that an older key sealed are recognized', async () => {
    const before = await Keyring.parse(oldEntry).seal(new Secret('old'), binding);
    const rotated = Keyring.parse(`${newEntry}, ${oldEntry}`);
    expect((await rotated.open(before, binding)).reveal()).toBe('old');
    expect(before.startsWith(rotated.sealedPrefix)).toBe(false);
    const sealedNow = await rotated.seal(new Secret('new'), { ...binding, recordId: 'another' });
    expect(sealedNow.startsWith(rotated.sealedPrefix)).toBe(true);
  });

  test('the prefix of a key differs from every other, for any names', async () => {
    for (const kid of ['a', 'ab', 'abc', 'abcd', 'k-1', 'k_10']) {
      const own = Keyring.parse(entry(kid));
      expect((await own.seal(new Secret('x'), binding)).startsWith(own.sealedPrefix)).toBe(true);
      for (const other of [`${kid}0`, kid.slice(1) || 'b', 'zzzz']) {
        const foreign = await Keyring.parse(entry(other)).seal(new Secret('x'), binding);
        expect(foreign.startsWith(own.sealedPrefix), `${other} seen as ${kid}`).toBe(false);
      }
    }
  });

  test('a value whose key was removed is reported as such, without any of its content', async () => {
    const opening = Keyring.parse(oldEntry).open(sealed, binding);
    await expect(opening).rejects.toThrow('the key that sealed this value is not in SECRETS_KEYS');
  });
});

describe('a broken setting ends with a message that names the entry and not its content', () => {
  test.each([
    ['', 1],
    ['no-colon', 1],
    [`a:${'A'.repeat(42)}`, 1],
    [`a:${'A'.repeat(44)}`, 1],
    [`a:${'='.repeat(43)}`, 1],
    [`${newEntry},b:short`, 2],
    [`${newEntry},`, 2],
  ])('%#', (setting, position) => {
    expect(() => Keyring.parse(setting)).toThrow(`entry ${position} is not kid:base64url(32 bytes)`);
  });

  test('a key id given twice', () => {
    expect(() => Keyring.parse(`${entry('a')},${entry('a')}`)).toThrow('a key id is given twice');
  });
});
