import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openBrowser } from '../../test/e2e/attack/chromium.ts';
import { fixedPages, pagesOfThings, states } from '../../test/e2e/console/pages.ts';

/**
 * `npm run screenshots -- [address]`: takes pictures of every page of the console that runs at the address
 * (http://localhost:3001), in light, dark and phone width, into docs/console/.
 */
const address = process.argv[2] ?? 'http://localhost:3001';
const folder = join('docs', 'console');
const looks = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
} as const;

const isThere = await fetch(address).then(
  (answer) => answer.ok,
  () => false,
);
if (!isThere) {
  console.error(`nothing answers at ${address}: run npm start first, or name another address`);
  process.exit(1);
}
const tenantId = await fetch(`${address}/api/bots?limit=1`)
  .then((answer) => answer.json() as Promise<{ tenantId: string }[]>)
  .then(([bot]) => bot?.tenantId ?? '');
const firstOf = async (path: string) => {
  const answer = await fetch(`${address}${path}?limit=1`, { headers: { 'X-Tenant-Id': tenantId } });
  return answer.ok ? ((await answer.json()) as Record<string, unknown>[])[0] : undefined;
};
const plain = [
  ...fixedPages.map((path) => ({ name: path.slice(1).replaceAll('/', '-') || 'home', path })),
  ...(await pagesOfThings(firstOf)),
];
const pages = [...plain.map((page) => ({ ...page, enter: async () => {} })), ...states];
await mkdir(folder, { recursive: true });
const browser = await openBrowser([]);
for (const [look, options] of Object.entries(looks)) {
  const page = await (await browser.newContext({ baseURL: address, ...options })).newPage();
  for (const { name, path, enter } of pages) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    await enter(page);
    const picture = join(folder, `${name}-${look}.png`);
    await page.screenshot({ path: picture });
    console.log(`wrote ${picture}`);
  }
}
await browser.close();
