import { platformDefinitions } from '@botyard/contracts/http/platform';
import { platformNames } from '@botyard/contracts/platform-names';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  begin,
  closeInstallingServices,
  comeBack,
  type InstallingServices,
  install,
  integrationsOf,
  newBot,
  openInstallingServices,
} from './installing-services.ts';

let services: InstallingServices;
beforeAll(async () => {
  services = await openInstallingServices();
});
afterAll(() => closeInstallingServices(services));

const newTeam = () => ({ teamId: services.slack.world.addTeam() });
const accountsOf = (botId: string) =>
  services.harness.asOwner<{ account: string }>(
    'select account_id as account from tenancy.integrations where bot_id = $1',
    [botId],
  );

test('an app is installed in a workspace, whose deliveries go to the bot from then on', async () => {
  const { slack, app, acme, harness } = services;
  const place = newTeam();
  const { answer, ...bot } = await install(services, acme, { place });
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('is connected to Slack');
  expect(answer.text).toContain(`href="/bots/${bot.botId}"`);
  expect(answer.text).not.toContain('<script');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  const { token } = slack.apps.installations.at(-1)!;
  expect(await integrationsOf(services, bot)).toMatchObject([
    { integrationType: 'slack', maskedCredentials: { botToken: `…${token.slice(-4)}` } },
  ]);
  expect(await accountsOf(bot.botId)).toEqual([{ account: `${app.appId}/${place.teamId}` }]);
  await eventually('webhooks has the endpoint', async () => {
    const rows = await harness.asOwner(
      'select from webhooks.endpoints where bot_id = $1 and account_id = $2',
      [bot.botId, `${app.appId}/${place.teamId}`],
    );
    return rows.length === 1;
  });
  expect(answer.text).not.toContain(token);
});

test('an app is installed in a whole organization', async () => {
  services.slack.world.addTeam('TORG', 'EORG');
  const { answer, botId } = await install(services, services.acme, { place: { enterpriseId: 'EORG' } });
  expect(answer.status).toBe(200);
  expect(await accountsOf(botId)).toEqual([{ account: `${services.app.appId}/EORG` }]);
});

test('installing again keeps the integration with its settings, and moves it to the other workspace', async () => {
  const { acme, tenancy } = services;
  const first = await install(services, acme, { place: newTeam() });
  const [integration] = await integrationsOf(services, first);
  const path = `/api/bots/${acme.tenantId}/${first.botId}/integrations/${integration!.integrationId}`;
  const body = { settings: { slack: { directMessages: 'threads' } } };
  expect(await tenancy.call('PUT', path, { as: acme.admin, body })).toMatchObject({ status: 200, body });
  const place = newTeam();
  expect((await install(services, acme, { place, botId: first.botId })).answer.status).toBe(200);
  expect(await integrationsOf(services, first)).toMatchObject([
    { integrationId: integration!.integrationId, settings: { slack: { directMessages: 'threads' } } },
  ]);
  expect(await accountsOf(first.botId)).toEqual([{ account: `${services.app.appId}/${place.teamId}` }]);
});

test('an account that belongs to another tenant stays there, and the page does not say whose it is', async () => {
  const place = newTeam();
  const theirs = await install(services, services.other, { place });
  const { answer, ...bot } = await install(services, services.acme, { place });
  expect(answer.status).toBe(409);
  for (const secret of [theirs.botId, services.other.tenantId]) expect(answer.text).not.toContain(secret);
  expect(await integrationsOf(services, bot)).toEqual([]);
});

test('a state works once, in its browser, and for ten minutes', async () => {
  const { slack, acme, other, harness } = services;
  const begun = await begin(services, acme);
  const stranger = await begin(services, other);
  const address = slack.apps.approve(begun.url, newTeam());
  for (const cookie of [undefined, stranger.cookie, `${begun.cookie}; ${begun.cookie}`, 'a=b']) {
    const answer = await comeBack(services, address, cookie);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('begin again');
  }
  expect((await comeBack(services, address, begun.cookie)).status).toBe(200);
  expect((await comeBack(services, address, begun.cookie)).status).toBe(403);
  const late = await begin(services, acme);
  await harness.asOwner(`update webhooks.installations set expires_at = now() - interval '1 second'`);
  expect((await comeBack(services, slack.apps.approve(late.url, newTeam()), late.cookie)).status).toBe(403);
});

test('of two requests with one state one connects the bot', async () => {
  const begun = await begin(services, services.acme);
  const address = services.slack.apps.approve(begun.url, newTeam());
  const answers = await Promise.all([1, 2, 3].map(() => comeBack(services, address, begun.cookie)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
  expect(await integrationsOf(services, begun)).toHaveLength(1);
});

test('two tabs of one browser can both be completed', async () => {
  const one = await begin(services, services.acme);
  const two = await begin(services, services.acme, { cookie: one.cookie });
  expect(two.cookie).toBe(one.cookie);
  for (const { url, cookie } of [one, two]) {
    const address = services.slack.apps.approve(url, newTeam());
    expect((await comeBack(services, address, cookie)).status).toBe(200);
  }
});

test('only hashes of the state and of the browser are stored', async () => {
  const { url, cookie } = await begin(services, services.acme);
  const rows = await services.harness.asOwner('select to_json(i)::text as row from webhooks.installations i');
  const stored = JSON.stringify(rows);
  expect(stored).not.toContain(new URL(url).searchParams.get('state'));
  expect(stored).not.toContain(cookie.split('=')[1]);
});

test('an admin who was removed meanwhile connects nothing, nor does one whose bot is gone', async () => {
  const { acme, tenancy, harness, slack } = services;
  const begun = await begin(services, acme, { as: acme.operator });
  await tenancy.call('DELETE', `/api/bots/${acme.tenantId}/${begun.botId}`, { as: acme.admin });
  const gone = await comeBack(services, slack.apps.approve(begun.url, newTeam()), begun.cookie);
  expect(gone.status).toBe(404);
  const { body } = await tenancy.call('GET', '/api/current-user', { as: acme.member });
  const setRole = (role: string) =>
    harness.asOwner('update tenancy.memberships set role = $1 where user_id = $2', [role, body.userId]);
  await setRole('admin');
  const asMember = await begin(services, acme, { as: acme.member });
  await setRole('member');
  const removed = await comeBack(services, slack.apps.approve(asMember.url, newTeam()), asMember.cookie);
  expect(removed.status).toBe(403);
  expect(removed.text).toContain('no longer administer');
  expect(await integrationsOf(services, asMember)).toEqual([]);
});

test('a person who cancels, a used code, a wrong secret and a platform that is down have each their page', async () => {
  const { slack, acme, app } = services;
  const cancelled = await begin(services, acme);
  const answer = await comeBack(services, slack.apps.cancel(cancelled.url), cancelled.cookie);
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('cancelled')]);

  const used = await begin(services, acme);
  const address = slack.apps.approve(used.url, newTeam());
  slack.apps.takeApproval(new URL(address).searchParams.get('code')!);
  const refused = await comeBack(services, address, used.cookie);
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('code_already_used')]);

  const { clientSecret } = app;
  app.clientSecret = 'another';
  const wrong = await install(services, acme, { place: newTeam() });
  app.clientSecret = clientSecret;
  expect([wrong.answer.status, wrong.answer.text]).toEqual([
    422,
    expect.stringContaining('bad_client_secret'),
  ]);

  for (const fault of [{ status: 503 }, { cut: 'before' }] as const) {
    slack.fail('oauth.v2.access', fault);
    const down = await install(services, acme, { place: newTeam() });
    expect([down.answer.status, down.answer.text]).toEqual([503, expect.stringContaining('does not answer')]);
    expect(await integrationsOf(services, down)).toEqual([]);
  }
});

test('odd queries get a page that repeats nothing of them', async () => {
  const state = 'A'.repeat(43);
  const odd = [
    '',
    `state=${state}&state=${state}`,
    `state=${state}&code=a&code=b`,
    `state=${'A'.repeat(10_000)}`,
    `state=${state}&code=${'A'.repeat(10_000)}`,
    `state=${state}&error=<script>alert(1)</script>`,
    `state[a]=${state}`,
    `state=${state}%00`,
    `state=' or true --`,
  ];
  for (const query of odd) {
    const { status, text } = await comeBack(
      services,
      `https://bots.example.com/webhooks/slack/oauth?${query}`,
      undefined,
    );
    expect([query, status]).toEqual([query, 400]);
    expect(text).not.toContain('alert');
    expect(text).not.toContain('AAAA');
  }
  const forged = `https://bots.example.com/webhooks/slack/oauth?state=${state}&code=a`;
  expect((await comeBack(services, forged, `__Host-botyard-install=${state}`)).status).toBe(403);
});

test('a look at the address before the person comes back ends nothing', async () => {
  const begun = await begin(services, services.acme);
  const address = services.slack.apps.approve(begun.url, newTeam());
  const { pathname, search } = new URL(address);
  await services.webhooks.call('HEAD', `${pathname}${search}`, {
    as: { kind: 'anonymous' },
    headers: { cookie: begun.cookie },
  });
  expect((await comeBack(services, address, begun.cookie)).status).toBe(200);
});

test('other platforms and unknown names are refused with a reason', async () => {
  const { acme, tenancy } = services;
  const botId = await newBot(services, acme);
  const authorize = (type: string, bot = botId) =>
    tenancy.call('POST', `/api/bots/${acme.tenantId}/${bot}/integrations/${type}/authorize`, {
      as: acme.admin,
    });
  for (const type of platformNames.filter((name) => !platformDefinitions[name].installs)) {
    const answer = await authorize(type);
    expect([type, answer.status, answer.body.error]).toEqual([type, 422, expect.stringContaining('no app')]);
  }
  expect((await authorize('pager')).status).toBe(404);
  expect((await authorize('slack', services.other.tenantId)).status).toBe(404);
});
