import { expect, test } from 'vitest';
import { forwardedHeaders } from '../../src/domain/forwarded-headers.ts';
import { surfaceOf } from '../../src/domain/gate.ts';

const inbound = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'user-agent': 'Browser' };

test('the page of a link learns whether another site sent a request, and the API does not need to', () => {
  const link = surfaceOf(`/oauth/connect/${'a'.repeat(64)}`);
  expect(forwardedHeaders(inbound, link)).toEqual({
    'sec-fetch-site': 'cross-site',
    'user-agent': 'Browser',
  });
  expect(forwardedHeaders(inbound, surfaceOf('/api/bots'))).toEqual({ 'user-agent': 'Browser' });
});
