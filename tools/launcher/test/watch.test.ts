import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../embedded/test/temporary.ts';
import { serviceNames } from '../settings/services.ts';
import { readRunFile, spawnLauncher, until, untilUp } from './launcher-process.ts';

const fixture = fileURLToPath(new URL('fixtures/services-root', import.meta.url));

/** A launcher that watches a copy of the services, in which files may be changed. */
async function startWatching() {
  const root = await temporaryDirectory();
  cpSync(fixture, root, { recursive: true });
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  for (const name of ['contracts', 'shared', 'words'])
    mkdirSync(join(root, 'libs', name, 'src'), { recursive: true });
  mkdirSync(join(root, 'services/keys/test'));
  const dataDir = await temporaryDirectory();
  const launcher = spawnLauncher(dataDir, { SERVICES_ROOT: root });
  const { gatewayUrl, pids } = await untilUp(launcher, dataDir);
  await until(() => launcher.output().includes('watching sources') || undefined);
  /** Waits until these services, and no others, are new processes that answer. */
  const restarted = async (before: Record<string, number>, names: readonly string[]) => {
    const now = await until(() => {
      const pids = readRunFile(dataDir)?.pids;
      return pids && names.every((name) => pids[name] !== before[name]) ? pids : undefined;
    });
    const changed = Object.keys(before).filter((name) => now?.[name] !== before[name]);
    expect(changed, launcher.output()).toEqual(names);
    const isHealthy = async () => (await fetch(`${gatewayUrl}/api/health`).catch(() => undefined))?.ok;
    expect(await until(async () => (await isHealthy()) || undefined)).toBe(true);
    return now ?? {};
  };
  const said = (text: string) => launcher.output().split(text).length - 1;
  return { launcher, pids, restarted, said, at: (path: string) => join(root, path) };
}

describe('a launcher that watches', () => {
  test('restarts only the services that a changed file belongs to, and says because of which file', async () => {
    const { launcher, pids, restarted, said, at } = await startWatching();
    appendFileSync(at('services/keys/test/keys.test.ts'), '// a test\n');
    appendFileSync(at('services/keys/README.md'), 'a note\n');
    appendFileSync(at('services/tenancy/src/main.ts'), '// a change\n');
    const after = await restarted(pids, ['tenancy']);
    expect(launcher.output()).toContain('restarting tenancy: services/tenancy/src/main.ts changed\n');
    writeFileSync(at('libs/shared/src/log.ts'), 'export const log = 1;\n');
    await restarted(after, serviceNames);
    expect(launcher.output()).toContain(
      `restarting ${serviceNames.join(', ')}: libs/shared/src/log.ts changed\n`,
    );
    expect(said('restarting ')).toBe(2);
    expect(said(', restarting')).toBe(0);
  });

  test('keeps running with a broken file: the fault is shown once, and the next change starts the service again', async () => {
    const { launcher, pids, restarted, said, at } = await startWatching();
    const main = at('services/usage/src/main.ts');
    const whole = readFileSync(main);
    writeFileSync(main, 'const broken = ;\n');
    const isShown = () => said('usage    exited with code 1, restarting when its sources change') > 0;
    await until(() => isShown() || undefined);
    expect(launcher.output()).toMatch(/usage +SyntaxError/);
    // Another one that fails in between; `usage` isn't tried again meanwhile.
    appendFileSync(at('services/agents/src/main.ts'), '// a change\n');
    await until(() => said('restarting agents') > 0 || undefined);
    writeFileSync(main, whole);
    await restarted(pids, ['usage', 'agents']);
    expect(said('SyntaxError')).toBe(1);
    expect(said('exited with code')).toBe(1);
    expect(launcher.child.exitCode).toBe(null);
  });
});
