import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { engine } from '../support/engine.ts';
import { buildImages } from '../support/installation.ts';

const golden = join(import.meta.dirname, 'image.golden.txt');

beforeAll(() => buildImages(engine));

/** Runs a shell's words in a container of an image, as its own user. */
async function inImage(image: string, words: string): Promise<string> {
  const { stdout } = await engine.docker([
    'run',
    '--rm',
    '--network',
    'none',
    '--entrypoint',
    'bash',
    image,
    '-c',
    words,
  ]);
  return stdout;
}

/** Each file with the digest of its content. */
const digests = (image: string) =>
  inImage(image, 'find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum');

test('the folders and packages of the image are those of the golden file, and no others', async () => {
  const folders = await inImage(
    'botyard',
    'find . -path ./node_modules -prune -o -maxdepth 4 -type d -print | LC_ALL=C sort',
  );
  const packages = await inImage(
    'botyard',
    "ls -d node_modules/* node_modules/@*/* | grep --invert-match '/@[^/]*$' | LC_ALL=C sort",
  );
  const content = `${folders}${packages}`;
  if (process.env.UPDATE_GOLDEN) await writeFile(golden, content);
  expect(content, 'UPDATE_GOLDEN=1 writes the golden file anew').toBe(await readFile(golden, 'utf8'));
});

test("no test, fake, bench or developers' tool is in the image, and nothing in it can be written by its user", async () => {
  const strange = await inImage(
    'botyard',
    'find . -path ./node_modules -prune -o -type f \\( -path "*/test/*" -o -name "*.test.ts" -o -path "*/testing/*" -o -path "./tools/bench/*" -o -path "./tools/sandbox/*" \\) -print',
  );
  expect(strange).toBe('');
  const developers = await inImage(
    'botyard',
    'ls -d node_modules/{vitest,typescript,@biomejs,drizzle-kit,playwright-core} 2>/dev/null || true',
  );
  expect(developers).toBe('');
  expect(await inImage('botyard', 'find . -writable ! -type l -print -quit')).toBe('');
  expect((await inImage('botyard', 'id -un')).trim()).toBe('node');
});

test('the image has its labels, and lists its packages as CycloneDX', async () => {
  const { stdout } = await engine.docker(['image', 'inspect', '--format', '{{json .}}', 'botyard']);
  const { Config, Size } = JSON.parse(stdout) as {
    Config: { Labels: Record<string, string>; User: string };
    Size: number;
  };
  expect(Config).toMatchObject({ User: 'node', Labels: { 'org.opencontainers.image.title': 'Botyard' } });
  const bom = JSON.parse(await inImage('botyard', 'cat sbom.cdx.json')) as {
    bomFormat: string;
    components: { name: string; version: string }[];
  };
  expect(bom.bomFormat).toBe('CycloneDX');
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  expect(bom.components).toContainEqual(
    expect.objectContaining({ name: 'express', version: lock.packages['node_modules/express']?.version }),
  );
  process.stdout.write(`image: ${(Size / 1024 / 1024).toFixed(0)} MiB, ${bom.components.length} packages\n`);
});

test('a second build from the same sources has the same files', async () => {
  await engine.docker([
    ...['build', '--no-cache', '--quiet', '--target', 'botyard', '--tag', 'botyard:again', '.'],
  ]);
  try {
    expect(await digests('botyard:again')).toBe(await digests('botyard'));
  } finally {
    await engine.docker(['image', 'rm', '--force', 'botyard:again']);
  }
});
