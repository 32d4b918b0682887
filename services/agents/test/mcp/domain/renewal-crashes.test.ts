import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asAdmin } from '../../integrations-fixture.ts';
import {
  addServer,
  beHonest,
  openSignInFixture,
  refresh,
  type SignInFixture,
  serversPath,
  signIn,
} from '../sign-in-fixture.ts';

/** The agents service as a process that is killed as by kill -9 while it renews a token. */
let fixture: SignInFixture;
let running: Awaited<ReturnType<SignInFixture['harness']['startProcess']>>;
let marks: string;

beforeAll(async () => {
  fixture = await openSignInFixture();
  marks = await mkdtemp(join(tmpdir(), 'botyard-renewal-'));
});
afterAll(async () => {
  await fixture?.close();
  await rm(marks, { recursive: true, force: true });
});

async function start(failpoints = ''): Promise<void> {
  const env = { ...fixture.env, FAILPOINTS_DIR: marks, FAILPOINTS: failpoints };
  running = await fixture.harness.startProcess('agents', env);
  fixture.agents = running;
}

/** A signed-in server whose token is due to be renewed, and a process that is killed at this point of the renewal. */
async function killedAt(point: string): Promise<string> {
  await fixture.agents.stop();
  await start(`${point}:crash`);
  await beHonest(fixture);
  const serverId = await addServer(fixture);
  expect((await signIn(fixture, serverId)).status).toBe(200);
  await fixture.harness.asOwner('update agents.server_grants set renew_at = now()');
  await asAdmin(fixture, 'POST', `${serversPath}/${serverId}/refresh`).catch(() => undefined);
  await running.ended;
  await start();
  return serverId;
}

const renewals = () => fixture.authority.at('/token').filter((form) => form.grant_type === 'refresh_token');
const leaseEnds = () =>
  fixture.harness.asOwner(`update agents.server_grants set renewing_until = now() - interval '1 second'`);

test('killed before the renewal is sent, the former token serves until another process renews it', async () => {
  const serverId = await killedAt('agents.grant.before-renewal');
  expect(await refresh(fixture, serverId)).toMatchObject({ state: 'ready' });
  expect(renewals()).toEqual([]);
  await leaseEnds();
  expect(await refresh(fixture, serverId)).toMatchObject({ state: 'ready' });
  expect(renewals()).toHaveLength(1);
});

test('killed with the renewed token unread, the former one serves, and then somebody has to sign in again', async () => {
  const serverId = await killedAt('agents.grant.after-renewal');
  expect(await refresh(fixture, serverId)).toMatchObject({ state: 'ready' });
  expect(renewals()).toHaveLength(1);
  await leaseEnds();
  expect(await refresh(fixture, serverId)).toMatchObject({ state: 'needs_authorization' });
  expect(renewals()).toHaveLength(2);
  expect((await signIn(fixture, serverId)).status).toBe(200);
  expect(await refresh(fixture, serverId)).toMatchObject({ state: 'ready' });
});
