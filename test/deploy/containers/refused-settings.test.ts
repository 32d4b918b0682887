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

  test.each(['production', 'staging', 'test'])(
    '%s with an identity provider is up with up --wait, without the sandbox',
    async (NODE_ENV) => {
      installation = new Installation(engine, {
        name: NODE_ENV,
        port: 3431,
        env: { NODE_ENV, IDP_ISSUER: 'https://idp.example' },
      });
      await installation.up('--wait');
      expect((await fetch(`${installation.gatewayUrl}/api/health`)).status).toBe(200);
      const { stdout } = await installation.compose('ps', '--all', '--services');
      expect(stdout).not.toMatch(/sandbox|demo|ready/);
      expect((await fetch(`${installation.gatewayUrl}/api/current-user`)).status).toBe(401);
    },
  );
});
