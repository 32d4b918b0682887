import { createServer, type Server } from 'node:http';
import { readConfig } from '@botyard/shared/config/config';
import { messengerAddress, webhookOrigin } from '@botyard/shared/config/platform-addresses';
import { listenOn } from '@botyard/shared/http/server';
import { createLog } from '@botyard/shared/log/log';
import { Secret } from '@botyard/shared/secrets/secret';
import { Problems } from '@botyard/shared/system/problems';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { webhooksConfig } from '../../src/config.ts';
import { checkMailAccount } from '../../src/platforms/mailgun/clients/check-account.ts';
import { createMailerClient } from '../../src/platforms/mailgun/clients/mailer.ts';
import { createMessengerClient } from '../../src/platforms/telegram/clients/messenger.ts';

let answer: { status: number; body: string };
const server: Server = createServer((_req, res) => {
  res.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
});
let url: string;
beforeAll(async () => {
  url = `http://127.0.0.1:${await listenOn(server, '127.0.0.1', 0)}`;
});
afterAll(() => server.close());

const log = createLog('test', 'silent');
const account = { apiKey: new Secret('key-0123456789'), domain: 'bots.acme.example' };
const mail = { from: 'a@bots.acme.example', to: 'b@acme.example', subject: 'x', text: 'x', headers: {} };

test.each([
  [401, 'Forbidden'],
  [404, '{"message":"Domain not found: bots.acme.example"}'],
])(
  "the mailer's %d names the region, the domain and the key, at the start and when mail is sent",
  async (status, body) => {
    const [atStart, whenSent] = [new Problems({ log }), new Problems({ log })];
    answer = { status, body };
    await checkMailAccount(url, account, atStart);
    const mailer = createMailerClient(url, { log, problems: whenSent }, account.apiKey);
    await mailer.send(account, mail);
    for (const problems of [atStart, whenSent]) {
      expect(problems.list()).toEqual([
        expect.objectContaining({
          setting: 'MAILER_API_URL',
          problem: expect.stringContaining('api.eu.mailgun.net'),
        }),
      ]);
      expect(JSON.stringify(problems.list())).not.toContain(account.apiKey.reveal());
    }
    answer = { status: 200, body: '{"id":"<1@x>","message":"Queued"}' };
    await mailer.send(account, mail);
    expect(whenSent.list()).toEqual([]);
  },
);

test("a refusal of a tenant's own account is no problem of the settings", async () => {
  const problems = new Problems({ log });
  answer = { status: 401, body: 'Forbidden' };
  const mailer = createMailerClient(url, { log, problems }, account.apiKey);
  await mailer.send({ ...account, apiKey: new Secret('key-of-a-tenant') }, mail);
  expect(problems.list()).toEqual([]);
});

test.each([
  ['a page', '', 404, '<html>Not Found</html>', true],
  ['another API', '', 200, '{"hello":"world"}', true],
  [
    'the Bot API, beneath a path',
    '/beneath',
    404,
    '{"ok":false,"error_code":404,"description":"Not Found"}',
    true,
  ],
  [
    'the Bot API, for a wrong token',
    '',
    404,
    '{"ok":false,"error_code":404,"description":"Not Found"}',
    false,
  ],
  ['an outage', '', 502, '<html>Bad Gateway</html>', false],
])('an answer of %s is about MESSENGER_API_URL: %#', async (_name, path, status, body, isOfAddress) => {
  const problems = new Problems({ log });
  answer = { status, body };
  const token = new Secret(`1:${'a'.repeat(35)}`);
  await createMessengerClient(`${url}${path}`, log, problems).getWebhookInfo(token);
  expect(problems.list().map(({ setting }) => setting)).toEqual(isOfAddress ? ['MESSENGER_API_URL'] : []);
  expect(JSON.stringify(problems.list())).not.toContain(token.reveal());
});

test('an address of the Bot API with a slash, a token or a path of files means the address before it, and never keeps the token', () => {
  const schema = z.object({ address: messengerAddress });
  for (const text of [
    'https://api.telegram.org/',
    'https://API.telegram.org/bot',
    'https://api.telegram.org/bot123:secret/',
    'https://api.telegram.org/bot123:secret/getMe',
    'https://api.telegram.org/file/bot123:secret/',
  ])
    expect(readConfig(schema, { address: text }).address).toBe('https://api.telegram.org');
  expect(readConfig(schema, { address: 'https://proxy.example/tg/' }).address).toBe(
    'https://proxy.example/tg',
  );
});

test('the origin for platforms has no path of ours, and the mailer no version', () => {
  const schema = z.object({ origin: webhookOrigin, mailer: webhooksConfig.shape.MAILER_API_URL });
  const read = readConfig(schema, {
    origin: 'https://bots.acme.example/webhooks/messenger/',
    mailer: 'https://api.eu.mailgun.net/v3/bots.acme.example',
  });
  expect(read).toEqual({ origin: 'https://bots.acme.example', mailer: 'https://api.eu.mailgun.net' });
});
