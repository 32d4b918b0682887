import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readCommandLine } from '../command-line/read-command-line.ts';

const defaultAddress = 'http://localhost:3001';
const {
  arguments: [address = defaultAddress],
} = readCommandLine({
  name: 'npm run screenshots',
  about:
    'Takes screenshots of every page of a running console in light, dark and phone width, and writes them to docs/console/.',
  arguments: [{ name: 'address', about: 'The address of the console.', otherwise: defaultAddress }],
  examples: [
    { command: 'npm run screenshots', about: 'the console that "npm start" runs' },
    { command: 'npm run screenshots -- http://localhost:4001', about: 'a gateway on another port' },
  ],
});
// Imported late, because it takes a second and the help doesn't need it.
const { openBrowser } = await import('../browser/open-browser.ts');
const { fixedPages, namesOfThings, pagesOfThings, states } = await import('../../test/e2e/console/pages.ts');

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
  console.error(`nothing responds at ${address}: run npm start first, or pass another address`);
  process.exit(1);
}
const tenantId = await fetch(`${address}/api/bots?limit=1`)
  .then((answer) => answer.json() as Promise<{ tenantId: string }[]>)
  .then(([bot]) => bot?.tenantId ?? '');
const firstOf = async (path: string) => {
  const answer = await fetch(`${address}${path}`, { headers: { 'X-Tenant-Id': tenantId } });
  if (!answer.ok)
    throw new Error(
      `${path} returned ${answer.status}: check that npm start has finished and that the demo tenant exists`,
    );
  return ((await answer.json()) as Record<string, unknown>[])[0];
};
const pagesOfOne = await pagesOfThings(firstOf);
const missing = namesOfThings.filter((name) => !pagesOfOne.some((page) => page.name === name));
if (missing.length > 0) {
  console.error(`create one of each first, so that no picture is lost: ${missing.join(', ')}`);
  process.exit(1);
}
const plain = [
  ...fixedPages.map((path) => ({ name: path.slice(1).replaceAll('/', '-') || 'home', path })),
  ...pagesOfOne,
];
const pages = [...plain.map((page) => ({ ...page, enter: async () => {} })), ...states];
await mkdir(folder, { recursive: true });
for (const name of await readdir(folder)) if (name.endsWith('.webp')) await rm(join(folder, name));
const browser = await openBrowser([]);
const painter = await browser.newPage();
for (const [look, options] of Object.entries(looks)) {
  const page = await (await browser.newContext({ baseURL: address, ...options })).newPage();
  for (const { name, path, enter } of pages) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    // A name that is still fetched is shown as an ellipsis.
    await page.getByText('…', { exact: true }).first().waitFor({ state: 'detached' });
    await enter(page);
    const picture = join(folder, `${name}-${look}.webp`);
    await writeFile(picture, await toWebp(await page.screenshot()));
    console.log(`wrote ${picture}`);
  }
}
await browser.close();

/** Converts to WebP, which needs a third of the bytes of PNG. The pictures are stored in the repository. */
async function toWebp(png: Buffer): Promise<Buffer> {
  const url: string = await painter.evaluate(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png.toString('base64')}';
    await image.decode();
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width: image.naturalWidth, height: image.naturalHeight });
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.8);
  })()`);
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}
