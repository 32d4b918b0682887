import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { LauncherProcess } from '../../e2e/launcher-process.ts';
import { OwnDisk } from '../support/own-disk.ts';
import { faultless, SandboxChats } from '../support/sandbox-chats.ts';

const people = 4;

/** Folders of the data with a disk of their own; the first is the one that a case fills. */
async function start(folders: readonly string[]) {
  const disks: OwnDisk[] = [];
  const launcher = await LauncherProcess.start(
    { NODE_ENV: 'development' },
    {
      prepare: async (dataDir) => {
        for (const [index, folder] of folders.entries())
          disks.push(await OwnDisk.mountAt(join(dataDir, folder), `${dataDir}-${index}.img`));
      },
    },
  );
  onTestFinished(async () => {
    await launcher.stop({ keepsData: true });
    for (const disk of disks.reverse()) await disk.unmount();
    await launcher.removeData();
  });
  const [disk] = disks;
  const run = await launcher.readRun();
  if (!disk || !run?.sandboxUrl) throw new Error(`not up: ${launcher.output}`);
  return { launcher, disk, gatewayUrl: run.gatewayUrl, chats: new SandboxChats(run.sandboxUrl) };
}

test.each([
  {
    name: 'F-44: a full disk of NATS',
    folders: ['nats'],
    whatToDo: /can't write to .*nats \(ENOSPC\): free some space/,
  },
  {
    name: 'F-79: a full disk of Postgres',
    folders: ['.', 'nats'],
    whatToDo: /stalled: database: .*No space left.*Free some space/,
  },
])('$name shows, and once there is space again everything is answered without intervention', async (full) => {
  const { launcher, disk, gatewayUrl, chats } = await start(full.folders);
  const health = () => fetch(`${gatewayUrl}/api/health`);
  for (let person = 0; person < people; person += 1) await chats.say(person);
  expect(await chats.settle()).toEqual(faultless);
  await disk.fill();
  const filledAt = performance.now();
  // The last blocks may still have some room.
  const talk = chats.keepTalking({ people, everyMs: 300 });
  await eventually('health shows it', async () => (await health()).status === 503);
  const shownMs = Math.round(performance.now() - filledAt);
  await eventually('the log says what to do', () => full.whatToDo.test(launcher.output));
  await talk.stop();
  const freedAt = performance.now();
  await disk.free();
  expect(await chats.settle()).toEqual(faultless);
  await eventually('health is well', async () => (await health()).status === 200);
  const answeredMs = Math.round(performance.now() - freedAt);
  process.stdout.write(
    `${full.name}: shown after ${shownMs} ms, all ${chats.count} answered ${answeredMs} ms after the space was free\n`,
  );
});
