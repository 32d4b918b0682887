import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createIdentitySigner, createIdentityVerifier } from '@botyard/shared/auth/identity';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../embedded/test/temporary.ts';
import { loadSecrets } from '../settings/secrets.ts';

test('secrets are generated once, and only their owner can read them', async () => {
  const dataDir = await temporaryDirectory();
  const first = await loadSecrets(dataDir);
  expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600);
  expect(await loadSecrets(dataDir)).toEqual(first);
  const passwords = [first.ownerPassword, ...Object.values(first.postgres), ...Object.values(first.nats)];
  expect(new Set(passwords).size).toBe(passwords.length);
  expect(passwords.every((password) => password.length >= 32)).toBe(true);
});

test('the services accept them: a keyring, and an identity that one signs and another verifies', async () => {
  const { secretsKeys, identity, demoBotToken } = await loadSecrets(await temporaryDirectory());
  expect(() => Keyring.parse(secretsKeys)).not.toThrow();
  const sign = await createIdentitySigner(identity.signingKey);
  const verify = await createIdentityVerifier(identity.verifyKey, 'tenancy');
  expect(await verify(await sign({ kind: 'anonymous' }, 'tenancy'))).toEqual({ kind: 'anonymous' });
  expect(demoBotToken).toMatch(/^\d{10}:[\w-]{35}$/);
});

test('missing secrets are added, and existing ones stay', async () => {
  const dataDir = await temporaryDirectory();
  const file = join(dataDir, 'secrets.json');
  const { demoBotToken: _, ...older } = await loadSecrets(dataDir);
  await writeFile(file, JSON.stringify(older));
  await chmod(file, 0o644);
  expect(await loadSecrets(dataDir)).toMatchObject(older);
  expect(JSON.parse(await readFile(file, 'utf8'))).toHaveProperty('demoBotToken');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('a damaged file is never replaced by new secrets', async () => {
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, 'secrets.json'), '{ "secretsKeys": ');
  await expect(loadSecrets(dataDir)).rejects.toThrow('secrets.json is damaged');
  expect(await readFile(join(dataDir, 'secrets.json'), 'utf8')).toBe('{ "secretsKeys": ');
});
