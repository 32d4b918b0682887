/** Builds the console into `console/dist` when its sources have changed: `npm run console`. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { chunks } from './chunks.ts';
import { compressFolder } from './compress.ts';
import { firstViewBytes } from './first-view.ts';
import { platformForms } from './platform-forms.ts';
import { preloadMain } from './preload-main.ts';
import { consoleFolder, hashOfSources } from './sources.ts';

const target = join(consoleFolder, 'dist');
const decoder = 'decode-named-character-reference';
const hash = hashOfSources();
const built = await readFile(join(target, 'sources.txt'), 'utf8').catch(() => '');
if (built !== hash) await buildAnew();

async function buildAnew(): Promise<void> {
  const begin = performance.now();
  // Everything else on this machine comes first.
  setPriority(10);
  const fresh = `${target}-${process.pid}`;
  try {
    await bundle(fresh);
    await compressFolder(join(fresh, 'assets'));
    await writeFile(join(fresh, 'sources.txt'), hash);
    const kilobytes = ((await firstViewBytes(fresh)) / 1000).toFixed(1);
    await replace(fresh);
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    console.log(`built in ${seconds} s; the first view loads ${kilobytes} kB of JavaScript (gzip)`);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function bundle(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: consoleFolder,
    base: '/console/',
    logLevel: 'error',
    plugins: [react(), tailwind(), platformForms(), preloadMain()],
    resolve: {
      // Its variant for browsers decodes `&lt;` by setting HTML, which the content policy refuses.
      alias: {
        [decoder]: fileURLToPath(import.meta.resolve(decoder)),
        // The interface of React in a tenth of its size.
        react: 'preact/compat',
        'react-dom': 'preact/compat',
      },
    },
    build: {
      outDir,
      emptyOutDir: false,
      reportCompressedSize: false,
      // The content policy allows no images or scripts in the page itself.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: 'es2023',
      rollupOptions: {
        output: {
          // The gateway reads paths in lower case.
          hashCharacters: 'hex',
          codeSplitting: { groups: chunks() },
        },
      },
    },
  });
}

/** Two that build at once make the same: whoever comes second finds it there. */
async function replace(fresh: string): Promise<void> {
  const old = `${target}-old-${process.pid}`;
  await rename(target, old).catch(() => {});
  await rename(fresh, target);
  await rm(old, { recursive: true, force: true });
}
