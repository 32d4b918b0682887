import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { createIdentitySigner, generateIdentityKeys } from '@botyard/shared/auth/identity';
import { eventually } from '@botyard/shared/testing/eventually';
import { type TestCall, testCaller } from '@botyard/shared/testing/test-call';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePort } from '../../../../tools/embedded/free-port.ts';
import { demand, newPerson, openPlatform, type Platform, userIdOf } from '../whole-platform.ts';

let platform: Platform;

beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform?.close());

const mainFile = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** A process of its own, on the same database, that kills itself when it comes to the failpoint. */
async function startDoomed(failpoint: string): Promise<{ call: TestCall; process: ChildProcess }> {
  const { harness, messenger, idp } = platform;
  const { signingKey, verifyKey } = await generateIdentityKeys();
  const sign = await createIdentitySigner(signingKey);
  const database = new URL(inject('postgresUrl'));
  database.pathname = `/${harness.databaseName}`;
  database.searchParams.set('options', '-c role=botyard_tenancy');
  const port = await freePort();
  const child = spawn(process.execPath, [mainFile], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      SERVICE_PORT: String(port),
      NATS_URL: inject('natsUrl'),
      NATS_NAMESPACE: harness.namespace,
      DATABASE_URL: database.href,
      IDENTITY_VERIFY_KEY: verifyKey,
      SECRETS_KEYS: harness.secretsKeys,
      MESSENGER_API_URL: messenger.url,
      IDP_API_URL: idp.url,
      FAILPOINTS: `${failpoint}:crash`,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually('the process is ready', () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return { process: child, call: testCaller(url, (identity) => sign(identity, 'tenancy')) };
}

/** Calls a process that is killed before it can answer. */
async function callDoomed(failpoint: string, ...request: Parameters<TestCall>): Promise<void> {
  const doomed = await startDoomed(failpoint);
  const exited = once(doomed.process, 'exit');
  await expect(doomed.call(...request)).rejects.toThrow();
  expect(await exited).toEqual([null, 'SIGKILL']);
}

const rowsOf = (text: string, tenantId: string) => platform.harness.asOwner(text, [tenantId]);

test('a kill between a removal and its commit leaves both admins, and the tenant can be changed at once', async () => {
  const { acme, tenancy } = platform;
  const { tenantId, admin: as } = acme;
  const second = await newPerson(platform);
  const members = `/api/bots/tenants/${tenantId}/members`;
  await demand(tenancy, 'POST', members, { as, body: { userId: second.userId, role: 'admin' } });
  const first = await userIdOf(platform, as);
  await callDoomed('tenancy.members.before-commit', 'DELETE', `${members}/${second.userId}`, { as });
  expect(
    await rowsOf(`select from tenancy.memberships where tenant_id = $1 and role = 'admin'`, tenantId),
  ).toHaveLength(2);
  await demand(tenancy, 'DELETE', `${members}/${second.userId}`, { as });
  expect((await tenancy.call('DELETE', `${members}/${first}`, { as })).status).toBe(409);
});

test('a kill between the creation of a tenant and its commit leaves no tenant', async () => {
  const { other, harness } = platform;
  await callDoomed('tenancy.tenants.before-create-commit', 'POST', '/api/bots/tenants', {
    as: other.admin,
    body: { name: 'Never was' },
  });
  expect(await harness.asOwner(`select from tenancy.tenants where name = 'Never was'`)).toEqual([]);
});

test('a kill between the deletion of a tenant and its commit leaves it whole and unannounced', async () => {
  const { other, tenancy } = platform;
  const path = `/api/bots/tenants/${other.tenantId}`;
  await callDoomed('tenancy.tenants.before-delete-commit', 'DELETE', path, { as: other.admin });
  expect((await demand(tenancy, 'GET', path, { as: other.admin })).tenantId).toBe(other.tenantId);
  expect(
    await rowsOf(
      `select from tenancy.outbox where subject like '%.tenancy.tenant.deleted.v1.' || $1 || '.%'`,
      other.tenantId,
    ),
  ).toEqual([]);
});
