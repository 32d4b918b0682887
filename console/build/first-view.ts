import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The bytes of JavaScript, as gzip, that the page loads before it shows anything. */
export async function firstViewBytes(folder: string): Promise<number> {
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const names = [...page.matchAll(/\/console\/(assets\/[\w-]+\.js)/g)].map(([, name = '']) => name);
  const sizes = await Promise.all(names.map((name) => stat(join(folder, `${name}.gz`))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}
