import { Secret } from '@botyard/shared/secrets/secret';
import { type Flood, startFlood } from '@botyard/testing/flood';
import { afterEach, describe, expect, test } from 'vitest';
import { createIdpTransport } from '../../src/clients/idp-transport.ts';
import { createMessengerClient } from '../../src/clients/messenger.ts';

const megabyte = 1024 * 1024;
const botToken = new Secret(`123456789:${'a'.repeat(35)}`);
let flood: Flood;
afterEach(() => flood.close());

describe.each([
  ['plain', false],
  ['packed', true],
])('an endless answer, %s, is cut off at the bound', (_, isGzip) => {
  test('from the messenger', async () => {
    flood = await startFlood({ isGzip });
    await expect(createMessengerClient(flood.url).getMe(botToken)).rejects.toMatchObject({ status: 503 });
    if (!isGzip) expect(flood.sentBytes).toBeLessThan(50 * megabyte);
  });

  test.each([200, 403, 404])('from the identity provider, with the status %i', async (status) => {
    flood = await startFlood({ isGzip, status });
    const ask = createIdpTransport({ baseUrl: flood.url, secretKey: new Secret('sk_test') });
    const answer = ask({ method: 'GET', path: '/users' });
    if (status === 403) await expect(answer).rejects.toMatchObject({ status: 422 });
    else expect(await answer).toBe(status === 404 ? null : undefined);
    if (!isGzip) expect(flood.sentBytes).toBeLessThan(100 * megabyte);
  });
});
