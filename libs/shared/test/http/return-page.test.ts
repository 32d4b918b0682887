import { createServer } from 'node:http';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendReturnPage } from '../../src/http/return-page.ts';

const hostile = '<script>alert(1)</script>"&';
const app = express().get('/back', (_req, res) =>
  sendReturnPage(res, { status: 422, title: hostile, text: hostile }, '/bots/"><b>'),
);
const server = createServer(app);
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  url = `http://127.0.0.1:${address.port}/back`;
});
afterAll(() => void server.close());

test('what a stranger wrote shows as itself on the page for people who come back, and nothing is loaded', async () => {
  const answer = await fetch(url);
  const html = await answer.text();
  expect(answer.status).toBe(422);
  expect(html).not.toMatch(/<script|<b>/);
  expect(html.match(/&lt;script&gt;alert\(1\)&lt;\/script&gt;&quot;&amp;/g)).toHaveLength(3);
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
});
