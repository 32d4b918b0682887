import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../embedded/test/temporary.ts';
import { spawnLauncher } from './launcher-process.ts';

/** Each fault: exit code 1 and exactly one line. */
async function faultOf(dataDir: string, env: Record<string, string>): Promise<string> {
  const launcher = spawnLauncher(dataDir, env);
  expect(await launcher.exited).toBe(1);
  const lines = launcher.output().trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

describe('G-13: a start that can not be', () => {
  test('names a port that is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = String(typeof address === 'object' ? address?.port : '');
    expect(await faultOf(await temporaryDirectory(), { PORT: port })).toBe(
      `botyard: PORT ${port} is taken: stop the process that uses it, or set PORT to another number`,
    );
  });

  test('names a directory that can not be written', async () => {
    const file = join(await temporaryDirectory(), 'file');
    await writeFile(file, '');
    expect(await faultOf(join(file, 'data'), {})).toMatch(
      /^botyard: DATA_DIR .*\/file\/data can't be written \(ENOTDIR\)/,
    );
  });

  test('names a broken variable, without its content', async () => {
    const fault = await faultOf(await temporaryDirectory(), { PORT: 'quite wrong' });
    expect(fault).toMatch(/^botyard: invalid settings: PORT: /);
    expect(fault).not.toContain('quite wrong');
  });

  test('names the variable that a service refuses', async () => {
    expect(await faultOf(await temporaryDirectory(), { FAKE_FAULT: 'keys' })).toBe(
      'botyard: keys: invalid settings: FAKE_FAULT: has a value that is not allowed',
    );
  });

  test('names migrations that fail', async () => {
    const url = 'postgres://nobody:secret@127.0.0.1:1/none';
    const fault = await faultOf(await temporaryDirectory(), { DATABASE_URL: url });
    expect(fault).toMatch(/^botyard: the migrations failed: /);
    expect(fault).not.toContain('secret');
  });
});
