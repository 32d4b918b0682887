import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../embedded/test/temporary.ts';
import { openLogFile } from '../terminal/log-file.ts';

test('a log file is closed to others and never grows beyond its size; the one before is kept', async () => {
  const file = join(await temporaryDirectory(), 'logs', 'service.log');
  const log = openLogFile(file, 100);
  for (let line = 1; line <= 30; line += 1) log.write(`this is line ${line}`);
  await log.close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(file).size).toBeLessThanOrEqual(100);
  expect(readFileSync(file, 'utf8')).toMatch(/this is line 30\n$/);
  expect(statSync(`${file}.1`).size).toBeLessThanOrEqual(100);
});

test('a log file is written again once the disk that was full has room', async () => {
  const dir = join(await temporaryDirectory(), 'logs');
  const file = join(dir, 'service.log');
  mkdirSync(dir);
  symlinkSync('/dev/full', file);
  const log = openLogFile(file);
  log.write('there is no room for this');
  rmSync(file);
  await eventually('it is written again', () => {
    log.write('there is room');
    return (
      statSync(file, { throwIfNoEntry: false }) !== undefined && readFileSync(file, 'utf8').includes('room')
    );
  });
  await log.close();
  expect(readFileSync(file, 'utf8')).toMatch(/^\nthere is room\n/);
});
