import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writingTogether } from '@botyard/shared/log/writing-together';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const waitMs = 20;
let folder: string;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  folder = await mkdtemp(join(tmpdir(), 'botyard-log-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

test('the lines of several milliseconds are one write, in their order, and later ones are another', async () => {
  const path = join(folder, 'log');
  const descriptor = fs.openSync(path, 'w');
  const writes = vi.spyOn(fs, 'writeSync');
  const { write } = writingTogether(descriptor);
  const lines = Array.from({ length: 20 }, (_, number) => `{"line":${number}}\n`);
  for (const line of lines) {
    write(line);
    vi.advanceTimersByTime(1);
  }
  vi.advanceTimersByTime(waitMs);
  expect(writes.mock.calls.filter(([to]) => to === descriptor)).toHaveLength(1);
  write('{"line":20}\n');
  vi.advanceTimersByTime(waitMs);
  expect(writes.mock.calls.filter(([to]) => to === descriptor)).toHaveLength(2);
  expect(await readFile(path, 'utf8')).toBe(`${lines.join('')}{"line":20}\n`);
  writes.mockRestore();
});

test('a warning or an error is written immediately, after the waiting lines', async () => {
  const path = join(folder, 'log');
  const { write } = writingTogether(fs.openSync(path, 'w'));
  write('{"level":"info","line":1}\n');
  expect(await readFile(path, 'utf8')).toBe('');
  write('{"level":"error","line":2}\n');
  expect(await readFile(path, 'utf8')).toBe('{"level":"info","line":1}\n{"level":"error","line":2}\n');
});

const source = fileURLToPath(new URL('../../src/log/writing-together.ts', import.meta.url));

test.each([
  ['exits', 'process.exit(3);'],
  ['dies of an error', "throw new Error('a fault');"],
])('the lines of a process in the turn in which it %s are written', async (_how, ending) => {
  const program = `
    import { writingTogether } from ${JSON.stringify(source)};
    const { write } = writingTogether(1);
    for (let line = 0; line < 5000; line += 1) write(line + '\\n');
    ${ending}
  `;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  expect(stdout.split('\n')).toHaveLength(5001);
});

test('F-69: a process continues when the reader of its log is gone', async () => {
  const program = `
    import { createServer } from 'node:http';
    import { writingTogether } from ${JSON.stringify(source)};
    const { write } = writingTogether(1);
    const server = createServer((_req, res) => {
      for (let line = 0; line < 1000; line += 1) write('a line of some length, to fill what waits\\n');
      res.end('here');
    });
    server.listen(0, '127.0.0.1', () => process.send(server.address().port));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [port] = await once(child, 'message');
  child.stdout?.destroy();
  for (let count = 0; count < 3; count += 1)
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('here');
  child.kill('SIGKILL');
});

test('F-69: a process whose log has no room on its disk continues, and writes again when there is room', async () => {
  const path = join(folder, 'log');
  const descriptor = fs.openSync(path, 'w');
  const { write } = writingTogether(descriptor);
  const writes = vi.spyOn(fs, 'writeSync').mockImplementationOnce(() => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  write('lost\n');
  vi.advanceTimersByTime(waitMs);
  write('kept\n');
  vi.advanceTimersByTime(waitMs);
  writes.mockRestore();
  expect(await readFile(path, 'utf8')).toBe('\nkept\n');
});
