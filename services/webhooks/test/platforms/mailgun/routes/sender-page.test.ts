import { createHash } from 'node:crypto';
import { anonymous } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  heldWithLink,
  type MailWorld,
  newBox,
  openMailWorld,
  statesOf,
  withLink,
} from '../../../mail-world.ts';

let world: MailWorld;
beforeAll(async () => {
  world = await openMailWorld();
});
afterAll(() => world?.harness.close());

const open = (method = 'GET', end = '') =>
  world.service.call(method, `/api/email-auth/allow${end}`, { as: anonymous });

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
  const link = await heldWithLink(world, await newBox(world));
  const plain = await open();
  for (const end of ['', '/', `?token=${link.token}`, '?x=<script>'])
    expect((await open('GET', end)).text).toBe(plain.text);
  expect((await open('HEAD')).status).toBe(200);
  expect((await open('POST')).status).toBe(404);
  expect(await statesOf(world, link)).toEqual(['held']);
  expect((await withLink(world, link.token, 'POST', '/validate-token', {})).status).toBe(200);
});
