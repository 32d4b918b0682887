import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { engine } from '../support/engine.ts';
import { buildImages, Installation } from '../support/installation.ts';

describe('docker compose up with unsafe settings', () => {
  let installation: Installation;
  beforeAll(() => buildImages(engine));
  afterEach(() => installation.remove());

  test.each([
    ['production without an identity provider', { NODE_ENV: 'production' }, 'IDP_ISSUER'],
    ['development mode for other machines', { BOTYARD_BIND: '0.0.0.0' }, 'BOTYARD_BIND'],
    ['a broken setting', { TRUSTED_PROXIES: 'everybody' }, 'TRUSTED_PROXIES'],
  ])('%s ends before any service starts, with a line that names the setting', async (_what, env, name) => {
    installation = new Installation(engine, { name: 'refused', port: 3421, env });
    await expect(installation.up()).rejects.toThrow();
    const { stdout } = await installation.compose('logs', '--no-log-prefix', 'settings');
    expect(stdout.trim().split('\n')).toEqual([expect.stringContaining(name)]);
    const started = await installation.compose('ps', '--services', '--status', 'running');
    expect(started.stdout.trim()).toBe('');
  });

  test('production with an identity provider starts without the sandbox', async () => {
    installation = new Installation(engine, {
      name: 'production',
      port: 3431,
      env: { NODE_ENV: 'production', IDP_ISSUER: 'https://idp.example' },
    });
    await installation.up();
    await installation.waitUntilHealthy();
    expect(await installation.stateOf('sandbox')).toBe('exited 0');
    expect(await installation.stateOf('demo')).toBe('exited 0');
    expect((await fetch(`${installation.gatewayUrl}/api/current-user`)).status).toBe(401);
  });
});
