import { Secret } from '@botyard/shared/secrets/secret';
import { type FakeSlack, startFakeSlack } from '@botyard/testing/fake-slack';
import type { Rotation, SlackApp } from '@botyard/testing/slack/types';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createSlackApi, type SlackApi } from '../../../../src/platforms/slack/clients/slack-api.ts';
import { authorizeUrl, completeInstallation } from '../../../../src/platforms/slack/domain/installation.ts';
import { createRenewer, type OwnApp } from '../../../../src/platforms/slack/domain/renewal.ts';

const redirectUri = 'https://bots.example.com/webhooks/slack/oauth';
const rotation: Rotation = { lives: [12 * 3600], graceMs: 60_000 };
let fake: FakeSlack;
let slack: SlackApi;

beforeAll(async () => {
  fake = await startFakeSlack();
  slack = createSlackApi(fake.url, pino({ level: 'silent' }));
});
afterAll(() => fake?.close());

const ownOf = (app: SlackApp): OwnApp => ({
  clientId: app.clientId,
  clientSecret: new Secret(app.clientSecret),
});

/** The secrets of an installation, by default of an app that rotates its tokens. */
async function install(change: Partial<SlackApp> = { rotation }) {
  const app = fake.apps.add({ redirectUrls: [redirectUri], ...change });
  const url = authorizeUrl(fake.url, ownOf(app), { redirectUri, state: 'x' });
  const back = new URL(fake.apps.approve(url, { teamId: fake.world.addTeam() }));
  const code = back.searchParams.get('code')!;
  const signal = AbortSignal.timeout(5000);
  const installed = await completeInstallation(slack, ownOf(app), { code, redirectUri, signal });
  if (installed.outcome !== 'ok') throw new Error(installed.reason);
  const secrets = installed.secrets as Parameters<typeof renewer.renew>[0];
  const renewer = createRenewer(slack, ownOf(app));
  const renew = (of: Partial<typeof secrets> = {}) => renewer.renew({ ...secrets, ...of }, signal);
  return { app, secrets, renewer, renew, installation: fake.apps.installations.at(-1)! };
}

const call = (token: string) => slack({ method: 'auth.test', token: new Secret(token), answer: z.unknown() });

test('a token that expires is renewed two hours before its end', async () => {
  const { secrets, renewer } = await install();
  const dueInMs = renewer.dueAt(secrets)!.getTime() - Date.now();
  expect(dueInMs).toBeGreaterThan(9.9 * 3_600_000);
  expect(dueInMs).toBeLessThanOrEqual(10 * 3_600_000);
});

test('a token that does not expire, or that was entered by hand since, is never renewed', async () => {
  const lasting = await install({});
  expect(lasting.renewer.dueAt(lasting.secrets)).toBeUndefined();
  const { secrets, renewer } = await install();
  expect(renewer.dueAt({ ...secrets, signingSecret: 'of an app of their own' })).toBeUndefined();
});

test('a renewal returns a new token and a new refresh token', async () => {
  const { secrets, renew, renewer, installation } = await install();
  const result = await renew();
  if (result.outcome !== 'ok') throw new Error(result.reason);
  expect(Object.keys(result.secrets).sort()).toEqual([...renewer.replaces].sort());
  expect(result.secrets.botToken).toBe(installation.token);
  expect(result.secrets.refreshToken).not.toBe(secrets.refreshToken);
  for (const token of [secrets.botToken, installation.token])
    expect(await call(token)).toMatchObject({ outcome: 'ok' });
});

test('a renewal whose answer was lost succeeds with the former refresh token', async () => {
  const { renew, installation } = await install();
  fake.fail('oauth.v2.access', { cut: 'after' });
  expect(await renew()).toMatchObject({ outcome: 'failed' });
  const lost = installation.token;
  const result = await renew();
  expect(result).toMatchObject({ outcome: 'ok', secrets: { botToken: installation.token } });
  expect(installation.token).not.toBe(lost);
});

test.each([
  { what: 'a used refresh token', graceMs: -1, reason: 'invalid_refresh_token' },
  { what: 'an app that was removed', graceMs: 60_000, isRevoked: true, reason: 'token_revoked' },
])('$what is refused for good', async ({ graceMs, isRevoked = false, reason }) => {
  const { renew, installation } = await install({ rotation: { ...rotation, graceMs } });
  await renew();
  installation.isRevoked = isRevoked;
  expect(await renew()).toEqual({ outcome: 'refused', reason: `${reason}: install the app again` });
});

test("a wrong secret of the installation's own app is the operator's fault, and tried again", async () => {
  const { app, renew } = await install();
  app.clientSecret = 'changed';
  expect(await renew()).toMatchObject({ outcome: 'failed', reason: 'bad_client_secret' });
});

test('a call with an expired token is tried again', async () => {
  const { secrets, installation } = await install();
  installation.issued[0]!.expiresAt = Date.now();
  expect(await call(secrets.botToken)).toEqual({
    outcome: 'failed',
    reason: 'token_expired',
    unclear: false,
  });
});
