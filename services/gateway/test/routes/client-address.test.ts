import { afterEach, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

let gateway: RunningGateway | undefined;
afterEach(() => gateway?.stop());

/** The address that webhooks receives, with this header, if these proxies are trusted. */
async function forwardedAddress(
  trusted: string,
  forwardedFor?: string,
): Promise<string | string[] | undefined> {
  gateway = await startGateway({ TRUSTED_PROXIES: trusted });
  const headers: Record<string, string> =
    forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  await fetch(`${gateway.url}/webhooks/idp`, { headers });
  return gateway.services.webhooks.last.headers['x-forwarded-for'];
}

test.each([
  ['nothing claimed', 'loopback', undefined, '127.0.0.1'],
  ['claimed by a proxy that is trusted', 'loopback', '203.0.113.7', '203.0.113.7'],
  ['claimed by one that is not', '10.0.0.1', '203.0.113.7', '127.0.0.1'],
  ['a client that claims another address before its own', 'loopback', '6.6.6.6, 203.0.113.7', '203.0.113.7'],
  ['two trusted proxies', 'loopback, 10.0.0.0/8', '203.0.113.7, 10.1.2.3', '203.0.113.7'],
  ['two trusted proxies and a lie', 'loopback, 10.0.0.0/8', '6.6.6.6, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
  ['no address at all', 'loopback', 'unknown', '127.0.0.1'],
  ['a mapped address', 'loopback', '::ffff:203.0.113.7', '203.0.113.7'],
])('%s', async (_name, trusted, claimed, forwarded) => {
  expect(await forwardedAddress(trusted, claimed)).toBe(forwarded);
});
