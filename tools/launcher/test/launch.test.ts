import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../embedded/test/temporary.ts';
import { serviceNames } from '../settings/services.ts';
import { readRunFile, spawnLauncher, until, untilAllGone, untilUp } from './launcher-process.ts';

describe('launcher', () => {
  test('everything starts, says where it is, and leaves nothing running after SIGTERM', async () => {
    const dataDir = await temporaryDirectory();
    const launcher = spawnLauncher(dataDir);
    const { gatewayUrl, pids } = await untilUp(launcher, dataDir);
    expect(Object.keys(pids)).toEqual(['launcher', 'postgres', 'nats', ...serviceNames]);
    expect((await fetch(`${gatewayUrl}/api/health`)).status).toBe(200);
    await until(() => launcher.output().includes('bound to 127.0.0.1') || undefined);
    expect(launcher.output()).toContain(
      'development mode: requests from this machine without a token act as an admin; bound to 127.0.0.1',
    );
    launcher.child.kill('SIGTERM');
    expect(await launcher.exited).toBe(0);
    expect(await untilAllGone(Object.values(pids))).toEqual([]);
    expect(existsSync(join(dataDir, 'run.json'))).toBe(false);
  });

  test("every service gets its settings and no other service's secrets", async () => {
    const dataDir = await temporaryDirectory();
    await untilUp(spawnLauncher(dataDir, { GREETING: 'hello' }), dataDir);
    const secrets = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'));
    for (const name of serviceNames) {
      const text = readFileSync(join(dataDir, `env-${name}.json`), 'utf8');
      const env = JSON.parse(text);
      const isGateway = name === 'gateway';
      expect(env).toMatchObject({
        GREETING: 'hello',
        NODE_ENV: 'test',
        NATS_USER: name,
        NATS_PASSWORD: secrets.nats[name],
      });
      expect(env.NATS_URL).not.toContain('@');
      expect('IDENTITY_SIGNING_KEY' in env).toBe(isGateway);
      expect('IDENTITY_VERIFY_KEY' in env).toBe(!isGateway);
      expect('SECRETS_KEYS' in env).toBe(['tenancy', 'keys', 'webhooks', 'agents'].includes(name));
      expect('DATABASE_URL' in env).toBe(!isGateway);
      if (!isGateway) expect(env.DATABASE_URL).toContain(`//botyard_${name}:${secrets.postgres[name]}@`);
      const others = serviceNames.filter((other) => other !== name);
      const foreign = [
        secrets.ownerPassword,
        secrets.nats.admin,
        ...others.flatMap((other) => [secrets.nats[other], secrets.postgres[other]]),
      ];
      expect(foreign.filter((secret) => text.includes(secret))).toEqual([]);
    }
  });

  test('a service, Postgres and nats-server that are killed come back with the same ports', async () => {
    const dataDir = await temporaryDirectory();
    const launcher = spawnLauncher(dataDir);
    const before = await untilUp(launcher, dataDir);
    const killed = ['tenancy', 'postgres', 'nats'];
    for (const name of killed) process.kill(before.pids[name] ?? 0, 'SIGKILL');
    const after = await until(() => {
      const now = readRunFile(dataDir);
      return killed.every((name) => now?.pids[name] !== undefined && now.pids[name] !== before.pids[name])
        ? now
        : undefined;
    });
    expect(Object.keys(after?.pids ?? {})).toHaveLength(9);
    expect(launcher.output()).toContain('postgres was killed, restarting');
  });

  test('nothing is left running after the launcher was killed with -9, and the next start works', async () => {
    const dataDir = await temporaryDirectory();
    const launcher = spawnLauncher(dataDir);
    const { pids } = await untilUp(launcher, dataDir);
    launcher.child.kill('SIGKILL');
    expect(await untilAllGone(Object.values(pids))).toEqual([]);
    const next = spawnLauncher(dataDir);
    expect(await until(() => next.output().includes('Botyard is up') || undefined)).toBe(true);
  });

  test('a start right after kill -9 waits for the processes that are left', async () => {
    const dataDir = await temporaryDirectory();
    const first = spawnLauncher(dataDir);
    const { gatewayUrl } = await untilUp(first, dataDir);
    first.child.kill('SIGKILL');
    const next = spawnLauncher(dataDir, { PORT: new URL(gatewayUrl).port });
    expect(await until(() => next.output().includes('Botyard is up') || undefined)).toBe(true);
  });

  test('a second launcher on the same directory is refused and disturbs nothing', async () => {
    const dataDir = await temporaryDirectory();
    const { gatewayUrl } = await untilUp(spawnLauncher(dataDir), dataDir);
    const second = spawnLauncher(dataDir);
    expect(await second.exited).toBe(1);
    expect(second.output()).toMatch(/^botyard: another Botyard already uses DATA_DIR .+\n$/);
    expect((await fetch(`${gatewayUrl}/api/health`)).status).toBe(200);
    expect(statSync(join(dataDir, 'run.json')).mode & 0o777).toBe(0o600);
  });
});
