import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../src/service/collect-after-start.ts', import.meta.url));

/** A process that is idle after its start, and reports whether the start's memory is still in use. */
const program = `
  import { collectAfterStart } from ${JSON.stringify(source)};
  const left = new WeakRef(Array.from({ length: 1000 }, () => ({})));
  const say = (what) => { console.log(what); process.exit(0); };
  setInterval(() => left.deref() ?? say('given back'), 100);
  setTimeout(say, 10_000, 'kept');
  collectAfterStart();
`;

test('memory that a start has left behind is freed once the process is idle, before it is needed', async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout.trim()).toBe('given back');
});
