import { createHash } from 'node:crypto';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeIdp, startFakeIdp } from '../src/fake-idp.ts';

const redirectUri = 'http://127.0.0.1:9/callback';
const verifier = 'v'.repeat(43);
const resource = 'https://bots.example.com/api/mcp';
let idp: FakeIdp;
let clientId: string;

beforeEach(async () => {
  idp = await startFakeIdp();
  idp.addUser({ id: 'user_1', email: 'anna@example.test', firstName: 'Anna' });
  const response = await fetch(`${idp.issuer}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'A <b>client</b>', redirect_uris: [redirectUri] }),
  });
  clientId = ((await response.json()) as { client_id: string }).client_id;
});
afterEach(() => idp.close());

function authorizeUrl(fields: Record<string, string> = {}): URL {
  const url = new URL(`${idp.issuer}/oauth/authorize`);
  const usual = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'botyard:read something:else',
    state: 'state_1',
    resource,
  };
  for (const [name, value] of Object.entries({ ...usual, ...fields })) url.searchParams.set(name, value);
  return url;
}

async function consent(fields: Record<string, string> = {}, person = 'user_1'): Promise<URLSearchParams> {
  const body = new URLSearchParams({ person });
  const response = await fetch(authorizeUrl(fields), { method: 'POST', body, redirect: 'manual' });
  return new URL(response.headers.get('location') ?? 'http://nowhere.invalid').searchParams;
}

async function exchange(fields: Record<string, string>) {
  const body = new URLSearchParams({ client_id: clientId, ...fields });
  const response = await fetch(`${idp.issuer}/oauth/token`, { method: 'POST', body });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

const takeCode = (code: string, codeVerifier = verifier) =>
  exchange({
    grant_type: 'authorization_code',
    code,
    code_verifier: codeVerifier,
    redirect_uri: redirectUri,
  });

test('a person who allows a client gives it a token for one resource, with the scopes that exist', async () => {
  const back = await consent();
  expect(Object.fromEntries(back)).toMatchObject({ state: 'state_1', iss: idp.issuer });
  const { body } = await takeCode(back.get('code') ?? '');
  const keys = createRemoteJWKSet(new URL(idp.jwksUrl));
  const { payload } = await jwtVerify(body.access_token ?? '', keys, {
    issuer: idp.issuer,
    audience: resource,
  });
  expect(payload).toMatchObject({ sub: 'user_1', client_id: clientId, scope: 'botyard:read' });
});

test('a code works once, and only with the verifier of its challenge', async () => {
  const stolen = await consent();
  expect((await takeCode(stolen.get('code') ?? '', 'w'.repeat(43))).status).toBe(400);
  const code = (await consent()).get('code') ?? '';
  expect((await takeCode(code)).status).toBe(200);
  expect((await takeCode(code)).status).toBe(400);
});

test('a refresh token works once', async () => {
  const { body } = await takeCode((await consent()).get('code') ?? '');
  const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '' };
  expect((await exchange(refresh)).status).toBe(200);
  expect((await exchange(refresh)).status).toBe(400);
});

test('without PKCE, or when the person cancels, there is no code', async () => {
  expect((await consent({ code_challenge_method: 'plain' })).get('error')).toBe('invalid_request');
  expect((await consent({}, '')).get('error')).toBe('access_denied');
});

test('nobody is sent to an address that the client did not register', async () => {
  const response = await fetch(authorizeUrl({ redirect_uri: 'http://attacker.test/' }), {
    redirect: 'manual',
  });
  expect(response.status).toBe(400);
});

test('the page names the client, as text', async () => {
  const html = await (await fetch(authorizeUrl())).text();
  expect(html).toContain('A &lt;b>client&lt;/b> wants to act for you');
});
