import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engine } from '../support/engine.ts';
import { buildImages, Installation } from '../support/installation.ts';
import { fencesOf } from '../support/runbook.ts';
import { faultless, SandboxChats } from '../support/sandbox-chats.ts';

const next = 'botyard:next';
const scaled = ['--scale', 'agents=4', '--scale', 'webhooks=2'];
const people = 40;
const installation = new Installation(engine, { name: 'upgraded', port: 3441 });

beforeAll(async () => {
  await buildImages(engine);
  const label = ['--label', 'org.opencontainers.image.version=next'];
  await engine.docker(['build', '--quiet', '--target', 'botyard', ...label, '--tag', next, '.']);
  await installation.remove();
  await installation.up(...scaled);
  await installation.waitUntilHealthy();
  await installation.waitForDemo();
});
afterAll(async () => {
  await installation.remove();
  await engine.docker(['image', 'rm', '--force', next]);
});

async function imagesOf(service: string): Promise<string[]> {
  const ids = await installation.containersOf(service);
  const { stdout } = await engine.docker(['inspect', '--format', '{{.Config.Image}}', ...ids]);
  return stdout.trim().split('\n');
}

test('four of agents and two of webhooks are replaced by those of another tag under load, as the runbook says: 0 lost, 0 twice', async () => {
  const [, written = ''] = await fencesOf('Upgrading without downtime');
  const commands = written.trim().split('\n');
  expect(commands).toHaveLength(4);
  const chats = new SandboxChats(installation.sandboxUrl);
  const load = chats.keepTalking({ people, everyMs: 100 });
  const goesOn = async () => {
    const wanted = chats.count + people;
    await eventually('people go on talking', () => chats.count >= wanted);
  };
  const upgrade = async () => {
    await goesOn();
    await installation.set({ BOTYARD_IMAGE: next });
    for (const command of commands) await installation.compose(...command.split(' ').slice(2));
    await installation.waitUntilHealthy();
    await goesOn();
  };
  await upgrade().finally(() => load.stop());
  const verdict = await chats.settle();
  process.stdout.write(`${chats.count} messages around an upgrade: ${JSON.stringify(verdict)}\n`);
  expect(verdict).toEqual(faultless);
  expect(await imagesOf('agents')).toEqual([next, next, next, next]);
  expect(await imagesOf('webhooks')).toEqual([next, next]);
  expect(await imagesOf('gateway')).toEqual([next]);
});
