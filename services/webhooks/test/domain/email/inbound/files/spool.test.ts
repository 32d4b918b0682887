import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Spool } from '../../../../../src/domain/email/inbound/files/spool.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'botyard-spool-test-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const bytesOf = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

test('a start removes what processes that are gone have left, and nothing of others', async () => {
  const { pid: dead } = spawnSync(process.execPath, ['-e', '']);
  const left = [String(dead), String(process.pid), String(process.ppid), 'notes'];
  for (const name of left) {
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, 'file'), 'somebody’s attachment');
  }
  await new Spool(directory).prepare();
  const names = await readdir(directory);
  expect(names.sort()).toEqual([String(process.pid), String(process.ppid), 'notes'].sort());
  expect(await readdir(join(directory, String(process.pid)))).toEqual([]);
  expect(await readdir(join(directory, String(process.ppid)))).toEqual(['file']);
});

test('a file has no name, can be read more than once, and is gone with its delivery', async () => {
  const spool = new Spool(directory);
  const reception = spool.receive();
  const file = await reception.keep(bytesOf('ab', 'c'));
  expect(await readdir(join(directory, String(process.pid)))).toEqual([]);
  expect([String(await file.bytes()), String(await file.bytes()), file.sizeBytes]).toEqual(['abc', 'abc', 3]);
  expect(spool.bytesAtOnce).toBe(3);
  await reception.dispose();
  await reception.dispose();
  expect(spool.bytesAtOnce).toBe(0);
  await expect(file.bytes()).rejects.toThrow();
});

test('over all deliveries there are so many bytes; who comes too much is told to come back, and others go on', async () => {
  const spool = new Spool(directory, 10);
  const [one, other] = [spool.receive(), spool.receive()];
  await one.keep(bytesOf('12345678'));
  await expect(other.keep(bytesOf('123', '456'))).rejects.toMatchObject({ status: 503 });
  await one.dispose();
  await other.keep(bytesOf('12'));
  await other.dispose();
  expect(spool.bytesAtOnce).toBe(0);
});
