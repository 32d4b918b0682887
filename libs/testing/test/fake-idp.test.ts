import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeIdp, startFakeIdp } from '../src/fake-idp.ts';

let idp: FakeIdp;

beforeEach(async () => {
  idp = await startFakeIdp();
  idp.addUser({ id: 'user_1', email: 'anna@example.test', firstName: 'Anna' });
  idp.addOrganization({ id: 'org_1', name: 'Acme' });
  idp.addMembership({ userId: 'user_1', orgId: 'org_1', role: 'org:admin' });
});

afterEach(() => idp.close());

function read(path: string, key = idp.secretKey) {
  return fetch(`${idp.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
}

test('its session tokens verify against its public keys and carry the organization, version 2', async () => {
  const token = await idp.sessionToken({ userId: 'user_1', orgId: 'org_1' });
  const { payload, protectedHeader } = await jwtVerify(token, createRemoteJWKSet(new URL(idp.jwksUrl)), {
    issuer: idp.issuer,
  });
  expect(payload).toMatchObject({ sub: 'user_1', v: 2, o: { id: 'org_1', rol: 'admin', slg: 'acme' } });
  expect(protectedHeader.alg).toBe('RS256');
});

test('version 1 claims, overrides, and leaving a claim out', async () => {
  const token = await idp.sessionToken({
    userId: 'user_1',
    orgId: 'org_1',
    version: 1,
    claims: { azp: 'http://x', sid: undefined },
  });
  expect(decodeJwt(token)).toMatchObject({ org_id: 'org_1', org_role: 'org:admin', azp: 'http://x' });
  expect(decodeJwt(token).sid).toBeUndefined();
});

test('forged and expired tokens do not verify', async () => {
  const keys = createRemoteJWKSet(new URL(idp.jwksUrl));
  await expect(jwtVerify(await idp.sessionToken({ userId: 'user_1', isForged: true }), keys)).rejects.toThrow(
    /signature/,
  );
  await expect(
    jwtVerify(await idp.sessionToken({ userId: 'user_1', expiresInSeconds: -60 }), keys),
  ).rejects.toThrow(/exp/);
});

test('rotateKey gives new tokens a new kid; the old key stays published unless told otherwise', async () => {
  const old = await idp.sessionToken({ userId: 'user_1' });
  idp.rotateKey();
  await jwtVerify(old, createRemoteJWKSet(new URL(idp.jwksUrl)));
  idp.rotateKey({ keepsOld: false });
  await expect(jwtVerify(old, createRemoteJWKSet(new URL(idp.jwksUrl)))).rejects.toThrow(/no applicable key/);
});

test('the backend API needs the secret key', async () => {
  const refused = await read('/users/user_1', 'sk_test_wrong');
  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({ errors: [{ code: 'authentication_invalid' }] });
});

test('reads users as a bare array and memberships as data with total_count', async () => {
  idp.addUser({ email: 'ben@example.test' });
  expect(await (await read('/users?email_address=anna@example.test')).json()).toMatchObject([
    { id: 'user_1', first_name: 'Anna' },
  ]);
  expect(await (await read('/users/count')).json()).toMatchObject({ total_count: 2 });
  expect(await (await read('/users/user_1/organization_memberships')).json()).toMatchObject({
    data: [{ role: 'org:admin', organization: { id: 'org_1' }, public_user_data: { user_id: 'user_1' } }],
    total_count: 1,
  });
  expect(await (await read('/organizations/acme')).json()).toMatchObject({ id: 'org_1' });
  expect((await read('/users/user_unknown')).status).toBe(404);
});
