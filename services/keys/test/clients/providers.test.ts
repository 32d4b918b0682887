import { ofPublicProviders, providerNames } from '@botyard/contracts/providers';
import { Secret } from '@botyard/shared/secrets/secret';
import { startFlood } from '@botyard/testing/flood';
import { describe, expect, test } from 'vitest';
import { createProviderClient } from '../../src/clients/providers.ts';

const megabyte = 1024 * 1024;

describe.each([
  ['plain', false],
  ['packed', true],
])('an answer without end, %s, is read no further than the bound', (_, isGzip) => {
  test.each(providerNames)('from %s', async (provider) => {
    const flood = await startFlood({ isGzip });
    const addresses = { ...ofPublicProviders(() => flood.url), 'private-llm': flood.url };
    const client = createProviderClient(addresses, 20_000);
    expect(await client.check(provider, new Secret('sk-test-0123456789'))).toBe('not understood');
    if (!isGzip) expect(flood.sentBytes).toBeLessThan(50 * megabyte);
    await flood.close();
  });
});
