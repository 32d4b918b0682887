import { expect, test } from 'vitest';
import { AnswerReader } from '../gate/answers.ts';
import { isOpenTarget } from '../gate/verdicts.ts';

const stream = [
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}',
].join('');

test.each([1, 3, 7, 1000])('answers are told apart however they are cut: %i bytes at once', (size) => {
  const statuses: number[] = [];
  const reader = new AnswerReader();
  for (let at = 0; at < stream.length; at += size)
    reader.read(
      stream.slice(at, at + size),
      () => 'GET',
      ({ status }) => statuses.push(status),
    );
  expect(statuses).toEqual([200, 200, 204, 401]);
});

test('the answer to HEAD has no body, whatever length it tells', () => {
  const statuses: number[] = [];
  const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n';
  new AnswerReader().read(
    answer + answer,
    () => 'HEAD',
    ({ status }) => statuses.push(status),
  );
  expect(statuses).toEqual([200, 200]);
});

test.each(['/api/health', '/API/Email-Auth/x', '/webhooks', '/webhooks/idp/', '/api/otel/v1/traces?x=/../'])(
  'is public: %s',
  (url) => expect(isOpenTarget(url)).toBe(true),
);

test.each([
  ...[
    '/',
    '/api',
    '/api/bots',
    '/api/healthy',
    '/webhooksx',
    '/api/health/../bots',
    '/api/health//bots',
    '//webhooks',
  ],
  ...[
    '/api/health/%2e%2e/bots',
    '/webhooks\\..',
    'http://x/webhooks',
    '/api/\u017ftatus',
    '/webhooks#',
    '*',
    '',
  ],
])('is not public, or not plain: %s', (url) => expect(isOpenTarget(url)).toBe(false));
