import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLog } from '@botyard/shared/log/log';
import { Secret } from '@botyard/shared/secrets/secret';
import { type FakeWhatsApp, startFakeWhatsApp } from '@botyard/testing/fake-whatsapp';
import type { Business } from '@botyard/testing/whatsapp/new-business';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGraphClient, type GraphClient } from '../../../../src/platforms/whatsapp/clients/graph.ts';
import { createGraphFiles } from '../../../../src/platforms/whatsapp/clients/graph-files.ts';
import { checkAccount } from '../../../../src/platforms/whatsapp/domain/check-account.ts';

const log = createLog('webhooks', 'silent');
let whatsapp: FakeWhatsApp;
let graph: GraphClient;
let business: Business;

beforeAll(async () => {
  whatsapp = await startFakeWhatsApp({ pace: { pairBurst: 2 } });
  graph = createGraphClient(whatsapp.url, log);
  const body = { type: 'BODY', text: 'Hello {{1}}' };
  const template = { name: 'hi', status: 'APPROVED', category: 'UTILITY', components: [body] };
  const templates = ['de', 'en', 'fr', 'pt_BR', 'tr'].map((language) => ({ ...template, language }));
  business = whatsapp.addBusiness({ templates });
});
afterAll(() => whatsapp?.close());

const access = (change: { token?: string; appSecret?: string } = {}) => ({
  accessToken: new Secret(change.token ?? business.token),
  appSecret: new Secret(change.appSecret ?? business.app.secret),
});
const credentials = () => ({
  accessToken: business.token,
  phoneNumberId: business.number.id,
  businessAccountId: business.account.id,
  appSecret: business.app.secret,
});
const text = (to: object, body = 'Hello') => ({ ...to, type: 'text', text: { body } });

test('each wrong credential is refused with its own name', async () => {
  const check = (change: object) => checkAccount({ graph }, { credentials: { ...credentials(), ...change } });
  expect(await check({})).toMatchObject({ outcome: 'ok', accountId: business.number.id });
  expect(await check({ accessToken: 'EAAwrong' })).toMatchObject({
    reason: expect.stringMatching(/^accessToken/),
  });
  expect(await check({ appSecret: 'wrong' })).toMatchObject({ reason: expect.stringMatching(/^appSecret/) });
  expect(await check({ phoneNumberId: '999999' })).toMatchObject({
    reason: expect.stringMatching(/^phoneNumberId/),
  });
  const other = whatsapp.addBusiness();
  expect(await check({ businessAccountId: other.account.id })).toMatchObject({
    outcome: 'refused',
    reason: expect.stringMatching(/does not belong/),
  });
});

test('a token without a permission says which ones are needed', async () => {
  const { value, appId } = whatsapp.tokens.get(business.token)!;
  whatsapp.tokens.set('EAAweak', { value: 'EAAweak', appId, permissions: ['whatsapp_business_messaging'] });
  expect(value).toBe(business.token);
  expect(
    await checkAccount({ graph }, { credentials: { ...credentials(), accessToken: 'EAAweak' } }),
  ).toMatchObject({
    reason: expect.stringMatching(/permissions.*whatsapp_business_management/),
  });
});

test('a message goes to the number, or to the identifier in its own field', async () => {
  const person = whatsapp.addPerson();
  whatsapp.say(business.number.id, person, 'Hi');
  const send = (to: object) => graph.sendMessage(access(), business.number.id, text(to));
  expect(await send({ to: person.phone })).toMatchObject({ outcome: 'ok' });
  expect(await send({ recipient: person.userId })).toMatchObject({ outcome: 'ok' });
  expect(await send({ to: person.userId })).toMatchObject({ outcome: 'refused', code: 131026 });
  expect(await send({ to: person.phone })).toMatchObject({ outcome: 'limited', code: 131056 });
});

test('beyond 24 hours only a template is accepted', async () => {
  const person = whatsapp.addPerson();
  const to = { to: person.phone };
  const refused = await graph.sendMessage(access(), business.number.id, text(to));
  expect(refused).toMatchObject({ outcome: 'refused', code: 131047 });
  const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Anna' }] }];
  const template = { name: 'hi', language: { code: 'en' }, components };
  const sent = await graph.sendMessage(access(), business.number.id, { ...to, type: 'template', template });
  expect(sent.outcome).toBe('ok');
  expect(whatsapp.sent.last?.text).toBe('Hello Anna');
});

test('templates are read page by page', async () => {
  const languages: string[] = [];
  let after: string | undefined;
  do {
    const page = await graph.listTemplates(access(), business.account.id, { after });
    if (page.outcome !== 'ok') throw new Error(page.outcome);
    languages.push(...page.result.templates.map(({ language }) => language));
    after = page.result.after;
  } while (after !== undefined);
  expect(languages).toEqual(['de', 'en', 'fr', 'pt_BR', 'tr']);
});

test('a lost answer is unclear, an outage is not, and an unreachable host was never asked', async () => {
  const person = whatsapp.addPerson();
  whatsapp.say(business.number.id, person, 'Hi');
  const send = (client = graph) =>
    client.sendMessage(access(), business.number.id, text({ to: person.phone }));
  whatsapp.fail('sendMessage', { cut: 'after' });
  expect(await send()).toMatchObject({ outcome: 'failed', unclear: true });
  const outage = { error: { message: 'Service temporarily unavailable', code: 131016 } };
  whatsapp.fail('sendMessage', { status: 503, body: outage });
  expect(await send()).toMatchObject({ outcome: 'failed', unclear: false });
  const closed = createServer().listen(0, '127.0.0.1');
  const { port } = await new Promise<AddressInfo>((listening) =>
    closed.once('listening', () => listening(closed.address() as AddressInfo)),
  );
  await new Promise((done) => closed.close(done));
  const unreached = createGraphClient(`http://127.0.0.1:${port}/v26.0`, log);
  expect(await send(unreached)).toMatchObject({ outcome: 'failed', unclear: false, isUnreached: true });
});

test('no reason holds a secret that the platform repeats', async () => {
  const message = `Malformed access token ${business.token} with ${business.app.secret}`;
  whatsapp.fail('getNumber', { status: 400, body: { error: { message, code: 100 } } });
  const answer = await graph.getNumber(access(), business.number.id);
  expect(JSON.stringify(answer)).not.toContain(business.token);
  expect(JSON.stringify(answer)).not.toContain(business.app.secret);
});

test('the token goes to no other host, whatever address the platform names', async () => {
  const files = createGraphFiles(whatsapp.url);
  const read = async () => 'read';
  const options = { token: access().accessToken, maxBytes: 1000, signal: AbortSignal.timeout(10_000) };
  for (const address of [
    'https://evil.example/x',
    'http://lookaside.fbsbx.com/x',
    'https://fbsbx.com.evil.example/',
    'x',
  ])
    expect(await files({ ...options, address }, read)).toEqual({
      outcome: 'refused',
      reason: 'unavailable',
    });
});

test('an address that has expired is asked for again, and a file above the limit is refused', async () => {
  const files = createGraphFiles(whatsapp.url);
  const { id } = whatsapp.media.add({ bytes: Buffer.alloc(2000), mimeType: 'image/jpeg' });
  const located = await graph.getMedia(access(), id, business.number.id);
  if (located.outcome !== 'ok') throw new Error(located.outcome);
  const { url, sizeBytes } = located.result;
  expect(sizeBytes).toBe(2000);
  const read = async (content: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(content)).length;
  const token = access().accessToken;
  const options = { token, address: url, maxBytes: 5000, signal: AbortSignal.timeout(10_000) };
  expect(await files(options, read)).toEqual({
    outcome: 'fetched',
    result: 2000,
  });
  const small = { ...options, maxBytes: 100 };
  expect(await files(small, read)).toEqual({
    outcome: 'refused',
    reason: 'too_large',
  });
  whatsapp.media.expireAddresses();
  expect(await files(options, read)).toMatchObject({ outcome: 'failed' });
});

test('the address has to answer the check before it is registered', async () => {
  const callback = { url: 'http://127.0.0.1:9/webhooks/whatsapp/x', verifyToken: 'token' };
  expect(await graph.subscribeApp(access(), business.account.id, callback)).toMatchObject({
    outcome: 'refused',
    code: 2200,
  });
});
