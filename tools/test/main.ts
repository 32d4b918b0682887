import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browserTests } from '../../test/tests-by-import.ts';
import type { Tier } from '../../test/tiers.ts';
import { findBrowser } from '../browser/find-browser.ts';
import { readCommandLine } from '../command-line/read-command-line.ts';
import { passedOn, vitestArguments, vitestOptions } from './command-line.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);
const startedAt = Date.now();
const children = new Set<ReturnType<typeof spawn>>();

interface Check {
  name: string;
  file: string;
  args: readonly string[];
}

const checks: readonly Check[] = [
  { name: 'biome', file: bin('biome'), args: ['ci', '--colors=off'] },
  { name: 'types', file: bin('tsc'), args: ['--noEmit', '-p', 'tsconfig.json'] },
  { name: 'types of the console', file: bin('tsc'), args: ['--noEmit', '-p', 'console'] },
];

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });
}
const request = readCommandLine({
  name: 'npm test',
  about:
    'Checks format, lint and types, then runs the fast tests; with a path or an option of vitest only tests.',
  arguments: [
    {
      name: 'path',
      about: 'Runs the tests whose path has one of these, fast and slow ones.',
      takesMany: true,
      otherwise: 'all fast tests',
    },
  ],
  options: {
    full: {
      type: 'flag',
      about:
        'Runs what the fast tests leave out: kills, outages, every combination, whole systems. "npm run test:full" sets it.',
    },
    ...vitestOptions,
  },
  passedOn,
  examples: [
    { command: 'npm test -- services/keys', about: 'the tests of a folder' },
    {
      command: 'npm test -- services/keys --watch -t revoked',
      about: 'some of them, again after each change',
    },
  ],
});
const isFull = request.options.full;
const selection = vitestArguments(request);
process.exitCode = await testAll();

/**
 * `npm test` checks format, lint and types, and runs the fast tier. `npm test -- <path>` runs the tests of both tiers
 * at the path. `npm run test:full` runs the tests that the fast tier omits.
 */
async function testAll(): Promise<number> {
  const failed: string[] = [];
  if (selection.length === 0 && !isFull) {
    console.log('checking format, lint and types…');
    const results = await Promise.all(checks.map(runCheck));
    failed.push(...checks.filter((_, index) => !results[index]).map(({ name }) => name));
    console.log('running the tests…');
  }
  const faultOfBrowser = await whyNoBrowser();
  if (faultOfBrowser !== undefined && process.env.CI === 'true') {
    console.error(faultOfBrowser);
    failed.push('browser');
  }
  if (!(await runTests({ hasBrowser: faultOfBrowser === undefined }))) failed.push('tests');
  if (faultOfBrowser !== undefined)
    console.log(`left out: the ${browserTests().length} test files that open a browser: ${faultOfBrowser}`);
  if (failed.length > 0)
    console.error(`${isFull ? 'npm run test:full' : 'npm test'} failed: ${failed.join(', ')}`);
  return failed.length > 0 ? 1 : 0;
}

async function runCheck({ name, file, args }: Check): Promise<boolean> {
  const begin = performance.now();
  const child = spawn(file, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const isFine = await ended(child);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  console.log(isFine ? `${name} ok (${seconds} s)` : `${output.trimEnd()}\n${name} FAILED (${seconds} s)`);
  return isFine;
}

/** Finds or installs the browser, if tests that were asked for need one. @returns why there is none */
async function whyNoBrowser(): Promise<string | undefined> {
  const paths = request.arguments;
  const needsOne = (test: string) => paths.length === 0 || paths.some((path) => test.includes(path));
  if (!browserTests().some(needsOne)) return undefined;
  try {
    await findBrowser();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function runTests({ hasBrowser }: { hasBrowser: boolean }): Promise<boolean> {
  const fastOrAll = selection.length === 0 ? 'fast' : 'all';
  const tier: Tier = isFull ? 'full' : fastOrAll;
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(
    process.execPath,
    [vitest, 'run', ...(hasBrowser ? [] : ['--passWithNoTests']), ...selection],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        NODE_ENV: 'test',
        BOTYARD_TIER: tier,
        BOTYARD_WITHOUT_BROWSER: hasBrowser ? '' : '1',
        BOTYARD_TEST_STARTED_AT: String(startedAt),
      },
    },
  );
  children.add(child);
  return await ended(child);
}

async function ended(child: ReturnType<typeof spawn>): Promise<boolean> {
  try {
    const [code] = await once(child, 'close');
    return code === 0;
  } catch (error) {
    console.error((error as Error).message);
    return false;
  } finally {
    children.delete(child);
  }
}
