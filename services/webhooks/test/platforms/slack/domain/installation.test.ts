import { Secret } from '@botyard/shared/secrets/secret';
import { type FakeSlack, startFakeSlack } from '@botyard/testing/fake-slack';
import type { SlackApp } from '@botyard/testing/slack/types';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSlackApi, type SlackApi } from '../../../../src/platforms/slack/clients/slack-api.ts';
import { authorizeUrl, completeInstallation } from '../../../../src/platforms/slack/domain/installation.ts';
import type { OwnApp } from '../../../../src/platforms/slack/domain/renewal.ts';

const redirectUri = 'https://bots.example.com/webhooks/slack/oauth';
let fake: FakeSlack;
let slack: SlackApi;
let app: SlackApp;
let own: OwnApp;

beforeAll(async () => {
  fake = await startFakeSlack();
  slack = createSlackApi(fake.url, pino({ level: 'silent' }));
  app = fake.apps.add({ redirectUrls: [redirectUri], isOrgReady: true });
  own = { clientId: app.clientId, clientSecret: new Secret(app.clientSecret) };
});
afterAll(() => fake?.close());

const approve = (place: { teamId: string } | { enterpriseId: string }) => {
  const back = new URL(
    fake.apps.approve(authorizeUrl(fake.url, own, { redirectUri, state: 'the state' }), place),
  );
  expect(back.searchParams.get('state')).toBe('the state');
  expect(`${back.origin}${back.pathname}`).toBe(redirectUri);
  return back.searchParams.get('code')!;
};

const grant = (code: string) => ({ code, redirectUri, signal: AbortSignal.timeout(5000) });

test('an app is installed in a workspace with the scopes that it asks for, and a code serves once', async () => {
  const teamId = fake.world.addTeam();
  const code = approve({ teamId });
  const installed = await completeInstallation(slack, own, grant(code));
  const { token, botUserId } = fake.apps.installations.at(-1)!;
  expect(installed).toMatchObject({
    outcome: 'ok',
    accountId: `${app.appId}/${teamId}`,
    secrets: { botToken: token, teamId, botUserId },
  });
  expect(installed).not.toHaveProperty('warnings');
  expect(await completeInstallation(slack, own, grant(code))).toEqual({
    outcome: 'refused',
    reason: 'code_already_used',
  });
});

test('an app is installed in a whole organization', async () => {
  fake.world.addTeam('TORG', 'E1');
  const installed = await completeInstallation(slack, own, grant(approve({ enterpriseId: 'E1' })));
  expect(installed).toMatchObject({ outcome: 'ok', accountId: `${app.appId}/E1` });
});

test('another secret is refused', async () => {
  const teamId = fake.world.addTeam();
  const wrong = { ...own, clientSecret: new Secret('wrong') };
  expect(await completeInstallation(slack, wrong, grant(approve({ teamId })))).toEqual({
    outcome: 'refused',
    reason: 'bad_client_secret',
  });
});
