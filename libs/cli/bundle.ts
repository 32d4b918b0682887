/** Makes `dist/botyard.mjs`, one file that runs on Node 20 without any package. `npm pack -w libs/cli` runs it. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

await build({
  entryPoints: [here('src/main.ts')],
  outfile: here('dist/botyard.mjs'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // Packages written for CommonJS ask for `require`.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
});
