import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

let idp: FakeIdp;
let gateway: RunningGateway | undefined;
beforeEach(async () => {
  idp = await startFakeIdp();
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  await idp.close();
});

const status = async (authorization?: string, path = '/api/bots') => {
  const response = await fetch(
    `${gateway?.url}${path}`,
    authorization === undefined ? {} : { headers: { authorization } },
  );
  await response.arrayBuffer();
  return response.status;
};
const good = async () => `Bearer ${await idp.sessionToken({ userId: 'user_1' })}`;
const bad = async () => `Bearer ${await idp.sessionToken({ userId: 'user_1', isForged: true })}`;

test('J-01: with an identity provider only its tokens pass', async () => {
  gateway = await startGateway({ IDP_ISSUER: idp.issuer });
  expect(await status(await good())).toBe(200);
  expect(await status(await bad())).toBe(401);
  expect(await status()).toBe(401);
});

test.each(['development', 'test', 'staging', 'production'])(
  'G-13: without an identity provider every path that is not public is 401 when NODE_ENV is %s',
  async (NODE_ENV) => {
    gateway = await startGateway({ NODE_ENV });
    for (const authorization of [undefined, await good(), await bad()]) {
      for (const path of ['/api/bots', '/api/x', '/API']) expect(await status(authorization, path)).toBe(401);
    }
    expect(await status(undefined, '/api/health')).toBe(200);
    expect(gateway.arrivals()).toEqual([]);
  },
);

test.each(['development', 'test'])(
  'G-13: development mode in %s: the synthetic admin without a token',
  async (NODE_ENV) => {
    gateway = await startGateway({ NODE_ENV, AUTH_DEV_MODE: 'true' });
    expect(await status()).toBe(200);
    expect(await gateway.identityOf(gateway.services.tenancy.last, 'tenancy')).toEqual({
      kind: 'user',
      idpUserId: 'user_dev',
      sessionId: 'sess_dev',
      name: 'Development admin',
      isOperator: true,
    });
    for (const authorization of [await good(), await bad(), 'Basic x', ''])
      expect(await status(authorization)).toBe(401);
  },
);

test('G-13: development mode with an identity provider: a token is verified as usual', async () => {
  gateway = await startGateway({ AUTH_DEV_MODE: 'true', IDP_ISSUER: idp.issuer });
  expect(await status(await good())).toBe(200);
  expect(await gateway.identityOf(gateway.services.tenancy.last, 'tenancy')).toMatchObject({
    idpUserId: 'user_1',
  });
  expect(await status(await bad())).toBe(401);
  expect(await status()).toBe(200);
});

test('J-06: tokens of known keys work while the identity provider is down, others do not', async () => {
  gateway = await startGateway({ IDP_ISSUER: idp.issuer });
  const early = await good();
  expect(await status(early)).toBe(200);
  const unseen = await good();
  idp.rotateKey();
  const rotated = await good();
  idp.fail('jwks', { status: 503, times: 1000 });
  expect(await status(unseen)).toBe(200);
  expect(await status(rotated)).toBe(401);
});
