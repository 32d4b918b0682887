import { randomInt } from 'node:crypto';
import { user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  appOrigin,
  LoginBrowser,
  link,
  loginBotToken,
  openLoginServices,
  widgetFields,
} from '../../login-browser.ts';
import { openTenancyServices, type TenancyServices } from '../../tenancy-services.ts';

let services: TenancyServices;
let browser: LoginBrowser;

beforeAll(async () => {
  services = await openLoginServices();
});
beforeEach(() => {
  browser = new LoginBrowser(services);
  services.idp.clearFaults();
});
afterAll(() => services?.close());

const refusal = { error: 'this sign-in can not be verified: begin again' };
const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;

/** Somebody whom the identity provider knows, with an account that is linked to them. */
async function linkedPerson(): Promise<{ idpUserId: string; account: number }> {
  const idpUserId = services.idp.addUser().id;
  const account = randomInt(1e9, 1e10);
  const answer = await link(services, user(idpUserId), widgetFields({ id: account }));
  if (answer.status !== 201) throw new Error(answer.text);
  return { idpUserId, account };
}

describe('GET /config', () => {
  test('gives the widget its settings and binds the sign-in to the browser', async () => {
    const answer = await browser.begin(`${appOrigin}/inbox?tab=1`);
    expect(answer.body).toEqual({
      enabled: true,
      botUsername: 'Botyard_Login',
      authUrl: `${appOrigin}/api/messenger-auth/callback?state=${browser.state}`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      returnTo: `${appOrigin}/inbox?tab=1`,
      canSignIn: true,
      expiresAt: expect.any(String),
    });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-botyard-login=[\w.-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(answer.text).not.toContain(loginBotToken);
    expect(await browser.status()).toBe('pending');
  });

  test('on localhost without https the cookie is not a secure one', async () => {
    const local = await openLoginServices('http://localhost:3001');
    try {
      const one = new LoginBrowser(local);
      const { headers } = await one.begin();
      expect(headers.get('set-cookie')).toMatch(/^botyard-login=[\w.-]+; [^S]*SameSite=Lax$/);
      expect(await one.status()).toBe('pending');
      expect((await one.comeBack(widgetFields())).headers.get('location')).toBe(
        'http://localhost:3001/?messengerLogin=verified',
      );
    } finally {
      await local.close();
    }
  });

  test('the app may be reached at several addresses: the browser returns to the one where it began', async () => {
    const { body } = await browser.begin('https://admin.example.com/#/people');
    expect(body.authUrl).toMatch(/^https:\/\/admin\.example\.com\/api\/messenger-auth\/callback\?/);
    const answer = await browser.comeBack(widgetFields());
    expect(answer.headers.get('location')).toBe('https://admin.example.com/?messengerLogin=verified#/people');
  });

  test.each([
    'https://evil.example',
    'https://app.example.com.evil.example/',
    'https://app.example.com@evil.example/',
    'https://me:pw@app.example.com/',
    'http://app.example.com/',
    'https://app.example.com:444/',
    'http://localhost:3001/',
    'javascript:alert(1)',
    '//evil.example',
    // Would make a cookie that no browser keeps.
    `https://app.example.com/${'界'.repeat(400)}`,
  ])('never redirects to %s', async (address) => {
    const answer = await browser.begin(address);
    expect([400, 422]).toContain(answer.status);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  test('asks the platform for the username once, for any number of requests', async () => {
    await Promise.all(Array.from({ length: 5 }, () => new LoginBrowser(services).begin()));
    const calls = services.messenger.calls.filter(({ path }) => path.includes(loginBotToken));
    expect(calls.length).toBe(1);
  });
});

describe('GET /callback', () => {
  test('sends the browser back to the app, without the fields, when the platform has signed them', async () => {
    await browser.begin(`${appOrigin}/inbox?tab=1`);
    const answer = await browser.comeBack(widgetFields({ first_name: 'Änna & Co', last_name: 'K=1' }));
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`${appOrigin}/inbox?tab=1&messengerLogin=verified`);
    expect(await browser.status()).toBe('verified');
  });

  test.each([
    ['a forged hash', () => ({ ...widgetFields(), hash: 'a'.repeat(64) })],
    ['a hash of another bot', () => widgetFields({}, `7123456789:${'M'.repeat(35)}`)],
    ['somebody else in signed fields', () => ({ ...widgetFields(), id: '42' })],
    ['an added field', () => ({ ...widgetFields(), role: 'admin' })],
    ['what was signed 6 minutes ago', () => widgetFields({ auth_date: secondsAgo(360) })],
    ['what is signed for the future', () => widgetFields({ auth_date: secondsAgo(-120) })],
    ['no fields', () => ({})],
  ])('refuses %s', async (_what, fields) => {
    await browser.begin();
    const answer = await browser.comeBack(fields());
    expect([answer.status, answer.body]).toEqual([401, refusal]);
    expect(await browser.status()).toBe('pending');
  });

  test('refuses a repeated field, a line break in one, and an invalid name', async () => {
    await browser.begin();
    const fields = widgetFields();
    const query = new URLSearchParams({ state: browser.state, ...fields });
    for (const more of ['id=42', 'first_name=x%0Aid%3D42', '_id=x', 'Id=42']) {
      const twice = await browser.call('GET', `/callback?${query}&${more}`);
      expect(twice.status, more).toBe(400);
    }
  });

  test('refuses another browser: one without a cookie, with one of its own, or with a forged one', async () => {
    await browser.begin();
    const other = new LoginBrowser(services);
    const fields = widgetFields();
    const refused = [await other.comeBack(fields, browser.state)];
    await other.begin();
    refused.push(await other.comeBack(fields, browser.state));
    other.cookie = `${browser.cookie?.slice(0, -6)}AAAAAA`;
    refused.push(await other.comeBack(fields, browser.state));
    expect(refused.map(({ status, body }) => [status, body])).toEqual(refused.map(() => [401, refusal]));
    expect((await browser.comeBack(fields)).status).toBe(303);
  });

  test('a link that another person made with their own account has no effect: the state is missing', async () => {
    await browser.begin();
    const attack = await browser.call('GET', `/callback?${new URLSearchParams(widgetFields())}`);
    expect(attack.status).toBe(401);
    expect((await browser.comeBack(widgetFields(), 'x')).status).toBe(401);
    expect(await browser.status()).toBe('pending');
  });

  test('takes a signature once, also of several who show it at this very moment', async () => {
    const fields = widgetFields();
    const browsers = Array.from({ length: 5 }, () => new LoginBrowser(services));
    await Promise.all(browsers.map((one) => one.begin()));
    const answers = await Promise.all(browsers.map((one) => one.comeBack(fields)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401, 401, 401, 401]);
  });

  test('a sign-in is verified once', async () => {
    await browser.begin();
    await browser.comeBack(widgetFields());
    expect((await browser.comeBack(widgetFields())).status).toBe(409);
  });
});

describe('POST /complete', () => {
  test('gives the linked person a ticket of the identity provider, which is good for a session of theirs', async () => {
    const { idpUserId, account } = await linkedPerson();
    await browser.begin();
    await browser.comeBack(widgetFields({ id: account }));
    const { status, body } = await browser.complete();
    expect([status, body]).toEqual([
      200,
      { ticket: expect.any(String), url: expect.stringContaining('http'), expiresAt: expect.any(String) },
    ]);
    expect(await browser.status()).toBe('completed');
    const session = (await services.idp.acceptTicket(body.ticket)) ?? '';
    const claims = JSON.parse(Buffer.from(session.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.sub).toBe(idpUserId);
  });

  test("accepts the widget's data from a script, numbers as numbers", async () => {
    const { account } = await linkedPerson();
    await browser.begin();
    const fields = widgetFields({ id: account });
    const login = { ...fields, id: account, auth_date: Number(fields.auth_date) };
    expect((await browser.complete({ login })).status).toBe(400);
    expect((await browser.complete({ login, state: 'x' })).status).toBe(401);
    expect((await browser.complete({ login, state: browser.state })).status).toBe(200);
  });

  test('one of many simultaneous calls gets the ticket, and one ticket is requested', async () => {
    const { account } = await linkedPerson();
    await browser.begin();
    await browser.comeBack(widgetFields({ id: account }));
    const answers = await Promise.all(Array.from({ length: 6 }, () => browser.complete()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await browser.complete()).status).toBe(409);
  });

  test('an account that is not linked gets only the way to link it, and can be linked meanwhile', async () => {
    const account = randomInt(1e9, 1e10);
    await browser.begin();
    await browser.comeBack(widgetFields({ id: account }));
    const refused = await browser.complete();
    expect(refused.status).toBe(409);
    expect(refused.body.error).toContain('/api/identity-links');
    await link(services, user(services.idp.addUser().id), widgetFields({ id: account }));
    expect((await browser.complete()).status).toBe(200);
  });

  test('a person who was deleted, here or at the provider, looks like an account that is not linked', async () => {
    const here = await linkedPerson();
    const there = await linkedPerson();
    await services.harness.asOwner('update tenancy.users set deleted_at = now() where idp_user_id = $1', [
      here.idpUserId,
    ]);
    services.idp.removeUser(there.idpUserId);
    const texts = new Set<string>();
    for (const id of [here.account, there.account, randomInt(1e9, 1e10)]) {
      const one = new LoginBrowser(services);
      await one.begin();
      await one.comeBack(widgetFields({ id }));
      const { status, text } = await one.complete();
      expect(status).toBe(409);
      texts.add(text);
    }
    expect(texts.size).toBe(1);
  });

  test('while the provider is down it is 503, and can be completed when it is back', async () => {
    const { account } = await linkedPerson();
    await browser.begin();
    await browser.comeBack(widgetFields({ id: account }));
    services.idp.fail('POST sign_in_tokens', { status: 500, times: 1 });
    expect((await browser.complete()).status).toBe(503);
    expect(await browser.status()).toBe('verified');
    expect((await browser.complete()).status).toBe(200);
  });

  test('nothing is completed before the platform has confirmed, without the cookie, or in another browser', async () => {
    const { account } = await linkedPerson();
    await browser.begin();
    expect((await browser.complete()).status).toBe(409);
    await browser.comeBack(widgetFields({ id: account }));
    const other = new LoginBrowser(services);
    expect((await other.complete()).body).toEqual(refusal);
    await other.begin();
    expect((await other.complete()).status).toBe(409);
    const login = widgetFields({ id: account });
    expect((await other.complete({ login, state: browser.state })).body).toEqual(refusal);
    expect((await browser.complete()).status).toBe(200);
  });

  test('a sign-in can be tried five times', async () => {
    await browser.begin();
    await browser.comeBack(widgetFields());
    const errors = [];
    for (let tries = 0; tries < 6; tries += 1) errors.push((await browser.complete()).body.error);
    expect(new Set(errors.slice(0, 5)).size).toBe(1);
    expect(errors[5]).toContain('begin again');
  });

  test('an account signs in twenty times an hour', async () => {
    const id = randomInt(1e9, 1e10);
    const statuses = [];
    for (let times = 0; times < 21; times += 1) {
      const one = new LoginBrowser(services);
      await one.begin();
      statuses.push((await one.comeBack(widgetFields({ id }))).status);
    }
    expect(statuses.filter((status) => status === 303).length).toBe(20);
    expect(statuses.at(-1)).toBe(409);
  });
});

describe('GET /status', () => {
  test('reveals nothing without the cookie, with a forged one, and about other browsers', async () => {
    await browser.begin();
    await browser.comeBack(widgetFields());
    const other = new LoginBrowser(services);
    expect(await other.status()).toBe('none');
    other.cookie = '__Host-botyard-login=eyJhbGciOiJkaXIifQ..a.b.c';
    expect(await other.status()).toBe('none');
    // The insecure name opens nothing that was sealed for the secure one, and two of a name are none.
    other.cookie = browser.cookie?.replace('__Host-', '');
    expect(await other.status()).toBe('none');
    other.cookie = `${browser.cookie}; ${browser.cookie}`;
    expect(await other.status()).toBe('none');
  });
});

test('without a login bot it is off: config shows it, and no sub-path accepts anything', async () => {
  const bare = await openTenancyServices();
  try {
    const one = new LoginBrowser(bare);
    const config = await one.begin();
    expect([config.status, config.body]).toEqual([200, { enabled: false }]);
    expect(config.headers.get('set-cookie')).toBeNull();
    one.cookie = browser.cookie;
    expect(await one.status()).toBe('none');
    expect((await one.comeBack(widgetFields())).status).toBe(404);
    expect((await one.complete({ login: widgetFields(), state: 'x' })).status).toBe(404);
    expect((await link(bare, bare.acme.admin, widgetFields())).status).toBe(404);
  } finally {
    await bare.close();
  }
});
