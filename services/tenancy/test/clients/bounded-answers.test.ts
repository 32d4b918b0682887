import { Secret } from '@botyard/shared/secrets/secret';
import { type Flood, startFlood } from '@botyard/testing/flood';
import { afterEach, describe, expect, test } from 'vitest';
import { createIdpTransport } from '../../src/clients/idp-transport.ts';

const megabyte = 1024 * 1024;
let flood: Flood;
afterEach(() => flood.close());

describe.each([
  ['plain', false],
  ['packed', true],
])('an endless answer, %s, is cut off at the bound', (_, isGzip) => {
  test.each([200, 403, 404])('from the identity provider, with the status %i', async (status) => {
    flood = await startFlood({ isGzip, status });
    const ask = createIdpTransport({ baseUrl: flood.url, secretKey: new Secret('sk_test') });
    const answer = ask({ method: 'GET', path: '/users' });
    if (status === 403) await expect(answer).rejects.toMatchObject({ status: 422 });
    else expect(await answer).toBe(status === 404 ? null : undefined);
    if (!isGzip) expect(flood.sentBytes).toBeLessThan(100 * megabyte);
  });
});
