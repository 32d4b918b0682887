import { Secret } from '@botyard/shared/secrets/secret';
import { type FakeSlack, startFakeSlack } from '@botyard/testing/fake-slack';
import type { Installation } from '@botyard/testing/slack/types';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createSlackApi, type SlackApi } from '../../../../src/platforms/slack/clients/slack-api.ts';
import { createSlackFiles } from '../../../../src/platforms/slack/clients/slack-files.ts';
import { checkAccount, checkEnteredToken } from '../../../../src/platforms/slack/domain/check-account.ts';

let fake: FakeSlack;
let installation: Installation;
let slack: SlackApi;
let channel: string;

beforeAll(async () => {
  fake = await startFakeSlack({ burst: 100 });
});
afterAll(() => fake?.close());
beforeEach(() => {
  fake.clearFaults();
  const teamId = fake.world.addTeam();
  installation = fake.apps.install(fake.apps.add(), { teamId });
  channel = fake.world.addChannel(teamId, { members: [installation.botUserId] }).id;
  slack = createSlackApi(fake.url, pino({ level: 'silent' }));
});

const say = (how: Partial<Parameters<SlackApi>[0]> = {}) =>
  slack({
    method: 'chat.postMessage',
    token: new Secret(installation.token),
    json: { channel, text: 'Hello' },
    scope: channel,
    timeoutMs: 500,
    answer: z.object({ ts: z.string() }),
    ...how,
  });

test('a message that arrived, one that is refused and one that the platform asks to wait for are told apart', async () => {
  expect(await say()).toMatchObject({ outcome: 'ok', result: { ts: fake.sent.last?.message.ts } });
  fake.refuse(channel, 'restricted_action');
  expect(await say()).toEqual({ outcome: 'refused', reason: 'restricted_action' });
  fake.refuse(channel, undefined);
  fake.fail('chat.postMessage', {
    status: 429,
    headers: { 'retry-after': '30' },
    body: { ok: false, error: 'ratelimited' },
  });
  expect(await say()).toEqual({ outcome: 'limited', retryAfterMs: 30_000 });
});

test('what the platform limits in one channel is not called again before its time; other channels and methods are', async () => {
  fake.fail('chat.postMessage', { status: 429, headers: { 'retry-after': '30' } });
  await say();
  const calls = fake.calls.count;
  expect(await say()).toMatchObject({ outcome: 'limited' });
  expect(fake.calls.count).toBe(calls);
  const other = fake.world.addChannel(installation.teamId!, { members: [installation.botUserId] }).id;
  expect(await say({ scope: other, json: { channel: other, text: 'Hi' } })).toMatchObject({ outcome: 'ok' });
});

test.each([
  ['no answer', { hang: true } as const],
  ['a connection that ends behind the call', { cut: 'after' } as const],
  ['an error within the platform', { status: 200, body: { ok: false, error: 'internal_error' } }],
  ['a fatal error', { status: 200, body: { ok: false, error: 'fatal_error' } }],
  ["a proxy's time-out", { status: 504, body: '<html>' }],
  ['an answer that can not be read', { status: 200, body: 'ok' }],
])('%s leaves open whether the message arrived', async (_what, fault) => {
  fake.fail('chat.postMessage', fault);
  expect(await say()).toMatchObject({ outcome: 'failed', unclear: true });
});

test.each([
  ['a platform that is not available', { status: 503, body: '' }],
  ['a platform that says so', { status: 200, body: { ok: false, error: 'service_unavailable' } }],
])('%s has not taken the message', async (_what, fault) => {
  fake.fail('chat.postMessage', fault);
  expect(await say()).toMatchObject({ outcome: 'failed', unclear: false });
});

test('a platform that nobody reaches has certainly not taken the message', async () => {
  slack = createSlackApi('http://127.0.0.1:9/api', pino({ level: 'silent' }));
  expect(await say()).toMatchObject({ outcome: 'failed', unclear: false, isUnreached: true });
});

test('no reason has the token', async () => {
  fake.fail('chat.postMessage', { status: 200, body: { ok: false, error: `bad ${installation.token}` } });
  expect(JSON.stringify(await say())).not.toContain(installation.token);
});

test('the trial of a token finds the app and the workspace, or says what is missing', async () => {
  expect(await checkAccount(slack, { botToken: installation.token })).toEqual({
    outcome: 'ok',
    accountId: `${installation.app.appId}/${installation.teamId}`,
    secrets: {
      appId: installation.app.appId,
      teamId: installation.teamId,
      botUserId: installation.botUserId,
      botId: installation.botId,
    },
  });
  expect(await checkAccount(slack, { botToken: 'xoxb-wrong' })).toEqual({
    outcome: 'refused',
    reason: 'invalid_auth',
  });
  installation.scopes.delete('files:read');
  expect(await checkAccount(slack, { botToken: installation.token })).toMatchObject({
    outcome: 'ok',
    warnings: ['the token lacks the scopes files:read'],
  });
  installation.scopes.delete('chat:write');
  expect(await checkAccount(slack, { botToken: installation.token })).toMatchObject({
    outcome: 'refused',
    reason: 'the token lacks the scopes chat:write',
  });
});

test('a token of a whole organization has the organization for its account', async () => {
  fake.world.addTeam('TORG', 'E1');
  const orgWide = fake.apps.install(fake.apps.add({ isOrgReady: true }), { enterpriseId: 'E1' });
  const account = await checkAccount(slack, { botToken: orgWide.token });
  expect(account).toMatchObject({ accountId: `${orgWide.app.appId}/E1`, secrets: { enterpriseId: 'E1' } });
});

const download = (url: string, maxBytes = 1000) =>
  createSlackFiles(fake.url)(
    {
      token: new Secret(installation.token),
      url,
      mimeType: 'image/png',
      maxBytes,
      signal: AbortSignal.timeout(5000),
    },
    async (content) => Buffer.concat(await Array.fromAsync(content)).toString(),
  );
const addressOf = (id: string) => `${fake.filesUrl}/files-pri/T1-${id}/download/a.png`;

test('a file is downloaded with the token; a page for signing in, one that is too large and one that is gone are not files', async () => {
  const file = fake.world.addFile('T1', {
    name: 'a.png',
    mimetype: 'image/png',
    content: Buffer.from('bytes'),
  });
  expect(await download(addressOf(file.id))).toEqual({ outcome: 'fetched', result: 'bytes' });
  expect(await download(addressOf(file.id), 3)).toEqual({ outcome: 'refused', reason: 'too_large' });
  expect(await download(addressOf('F0'))).toEqual({ outcome: 'refused', reason: 'unavailable' });
  installation.scopes.delete('files:read');
  expect(await download(addressOf(file.id))).toEqual({ outcome: 'refused', reason: 'unavailable' });
});

test.each([
  'https://files.slack.com.example.com/a.png',
  'https://example.com/a.png',
  'http://files.slack.com/a.png',
  'https://user@files.slack.com/a.png',
  'file:///etc/passwd',
  'nothing',
])('the token is never sent to %s', async (url) => {
  expect(await download(url)).toEqual({ outcome: 'refused', reason: 'unavailable' });
});

test('a token that was entered by hand and expires is refused, since it can not be renewed', async () => {
  expect(await checkEnteredToken(slack, { botToken: 'xoxe.xoxb-1-of-a-rotating-app' })).toMatchObject({
    outcome: 'refused',
    reason: expect.stringContaining('without token rotation'),
  });
  expect(await checkEnteredToken(slack, { botToken: installation.token })).toMatchObject({ outcome: 'ok' });
});
