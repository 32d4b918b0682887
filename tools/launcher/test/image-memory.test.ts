import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { givesMemoryBack, nodeFlags } from '../processes/node-process.ts';

test('the image starts Node with the launcher’s settings for memory', async () => {
  const dockerfile = await readFile(new URL('../../../Dockerfile', import.meta.url), 'utf8');
  const env = Object.entries(givesMemoryBack).map(([name, value]) => `${name}=${value}`);
  expect(dockerfile).toContain(`ENV ${env.join(' ')}\n`);
  expect(dockerfile).toContain(
    `ENTRYPOINT ${JSON.stringify(['node', ...nodeFlags]).replaceAll(',', ', ')}\n`,
  );
});
