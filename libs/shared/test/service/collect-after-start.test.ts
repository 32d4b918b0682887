import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../src/service/collect-after-start.ts', import.meta.url));

/** A process that rests after its start, and tells whether it still has what the start left behind. */
const program = `
  import { collectAfterStart } from ${JSON.stringify(source)};
  const left = new WeakRef(Array.from({ length: 1000 }, () => ({})));
  const say = (what) => { console.log(what); process.exit(0); };
  setInterval(() => left.deref() ?? say('given back'), 100);
  setTimeout(say, 10_000, 'kept');
  collectAfterStart();
`;

test('what a start has left behind is given back once the process is at rest, before anything asks for room', async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout.trim()).toBe('given back');
});
