import { createHash } from 'node:crypto';
import { anonymous } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  heldWithLink,
  type MailFixture,
  newBox,
  openMailFixture,
  statesOf,
  withLink,
} from '../../../mail-fixture.ts';

let fixture: MailFixture;
beforeAll(async () => {
  fixture = await openMailFixture();
});
afterAll(() => fixture?.harness.close());

const open = (method = 'GET', end = '') =>
  fixture.service.call(method, `/api/email-auth/allow${end}`, { as: anonymous });

test('the page runs and loads nothing but its own script and style, and is in no frame', async () => {
  const { status, headers, text } = await open();
  expect(status).toBe(200);
  const policy = headers.get('content-security-policy') ?? '';
  const [style, script] = ['style', 'script'].map(
    (name) => new RegExp(`<${name}[^>]*>([^]*?)</${name}>`).exec(text)?.[1] ?? '',
  );
  const hashOf = (part = '') => `'sha256-${createHash('sha256').update(part).digest('base64')}'`;
  expect(policy).toBe(
    `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(text).not.toMatch(/ on\w+="| style="|https?:\/\/|innerHTML/);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
  });
});

test('opening it, as scanners of links do, changes nothing, and it is the same for everybody', async () => {
  const link = await heldWithLink(fixture, await newBox(fixture));
  const plain = await open();
  for (const end of ['', '/', `?token=${link.token}`, '?x=<script>'])
    expect((await open('GET', end)).text).toBe(plain.text);
  expect((await open('HEAD')).status).toBe(200);
  expect((await open('POST')).status).toBe(404);
  expect(await statesOf(fixture, link)).toEqual(['held']);
  expect((await withLink(fixture, link.token, 'POST', '/validate-token', {})).status).toBe(200);
});
