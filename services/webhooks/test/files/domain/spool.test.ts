import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createLog } from '@botyard/shared/log/log';
import { StallMonitor } from '@botyard/shared/service/stalls';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Spool } from '../../../src/files/domain/spool.ts';
import { createSpoolKeeper } from '../../../src/files/domain/spool-keeper.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'botyard-spool-test-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const bytesOf = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

test('a start removes files of ended processes, and none of others', async () => {
  const { pid: dead } = spawnSync(process.execPath, ['-e', '']);
  const host = 'this-host';
  const own = `${host}.${process.pid}`;
  const gone = [`${host}.${dead}`, 'stopped-container.1'];
  const kept = [`${host}.${process.ppid}`, 'other-container.1', 'notes'];
  for (const name of [...gone, ...kept, own]) {
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, 'file'), 'somebody’s attachment');
  }
  const twoDaysAgo = new Date(Date.now() - 2 * 24 * 3600_000);
  await utimes(join(directory, 'stopped-container.1'), twoDaysAgo, twoDaysAgo);
  await new Spool(directory, 10, host).prepare();
  expect((await readdir(directory)).sort()).toEqual([...kept, own].sort());
  expect(await readdir(join(directory, own))).toEqual([]);
  for (const name of kept) expect(await readdir(join(directory, name)), name).toEqual(['file']);
});

test('two containers, whose processes have the same number, share a folder', async () => {
  const [one, other] = [new Spool(directory, 10, 'one'), new Spool(directory, 10, 'other')];
  const reception = one.receive({ tenantId: 'one' });
  await other.prepare();
  await reception.keep(bytesOf('a'));
  await other.close();
  await reception.keep(bytesOf('b'));
  await reception.dispose();
});

test('a folder that takes no files is shown in readiness with its setting, until it takes them again', async () => {
  const place = join(directory, 'full');
  await writeFile(place, 'this is no folder');
  const log = createLog('webhooks', 'silent');
  const clock = { ms: 0 };
  const stalls = new StallMonitor({ log, now: () => clock.ms });
  const keeper = createSpoolKeeper({ spool: new Spool(place), log, stalls });
  keeper.start();
  await eventually('the folder is shown', () => {
    clock.ms += 5000;
    return stalls.list()[0]?.remedy.includes('MAIL_SPOOL_DIR');
  });
  await rm(place);
  await eventually('it takes files again', () => stalls.list().length === 0);
  await keeper.stop();
});

test('a file has no name, can be read more than once, and is freed with its delivery', async () => {
  const spool = new Spool(directory, 10, 'test');
  const reception = spool.receive({ tenantId: 'one' });
  const file = await reception.keep(bytesOf('ab', 'c'));
  expect(await readdir(join(directory, `test.${process.pid}`))).toEqual([]);
  expect([String(await file.bytes()), String(await file.bytes()), file.sizeBytes]).toEqual(['abc', 'abc', 3]);
  expect(spool.bytesAtOnce).toBe(3);
  await reception.dispose();
  await reception.dispose();
  expect(spool.bytesAtOnce).toBe(0);
  await expect(file.bytes()).rejects.toThrow();
});

test('the bytes of files are limited for each owner; a delivery beyond its share is asked to retry, and others continue', async () => {
  const spool = new Spool(directory, 20);
  const [one, same, other] = [
    spool.receive({ address: 'one' }),
    spool.receive({ address: 'one' }),
    spool.receive({ address: 'other' }),
  ];
  await one.keep(bytesOf('12345678'));
  const refused = expect(same.keep(bytesOf('123', '456'))).rejects.toMatchObject({ status: 503 });
  await other.keep(bytesOf('12'));
  await refused;
  await one.dispose();
  await same.dispose();
  await other.dispose();
  expect(spool.bytesAtOnce).toBe(0);
});
