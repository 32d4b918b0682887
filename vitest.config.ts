import { defineConfig } from 'vitest/config';
import { browserTests } from './test/tests-by-import.ts';
import { movedTimers, sampledWalks, slowParts, stories, systems, tier } from './test/tiers.ts';

/** `npm run test:deploy` runs these: they need an engine, or servers of Debian's. */
const deployments = ['test/deploy/**'];
/** `npm test` sets the variable where no browser can be had. */
const withoutBrowser = process.env.BOTYARD_WITHOUT_BROWSER ? browserTests() : [];
const never = ['**/node_modules/**', '**/.data/**', ...deployments, ...withoutBrowser];

const parts = [
  '{console,libs,services,tools}/**/test/**/*.test.ts',
  'tools/**/*.test.ts',
  'test/**/*.test.ts',
];

/** What each tier takes of the parts, which run side by side, and of the systems, which run one by one. */
const chosen = {
  fast: {
    parts: { include: parts, exclude: [...never, ...systems, ...slowParts, ...movedTimers] },
    timers: { include: movedTimers, exclude: never },
    systems: { include: stories, exclude: never },
  },
  full: {
    parts: { include: [...slowParts, ...sampledWalks], exclude: [...never, ...systems] },
    timers: { include: [], exclude: never },
    systems: { include: systems, exclude: [...never, ...stories] },
  },
  all: {
    parts: { include: parts, exclude: [...never, ...systems, ...movedTimers] },
    timers: { include: movedTimers, exclude: never },
    systems: { include: systems, exclude: never },
  },
}[tier];

const everywhere = {
  env: { NODE_ENV: 'test' },
  pool: 'forks',
  // Longer than `eventually` waits, which says for what; a test that passes never waits for these.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  teardownTimeout: 60_000,
} as const;

const besideOneAnother = {
  // Services give up on each other within a second or two: no more files at once than a small machine has cores.
  maxWorkers: 2,
  sequence: { groupOrder: 0 },
} as const;

export default defineConfig({
  test: {
    // `npm run mutate` starts none for tests that need none.
    globalSetup: process.env.BOTYARD_WITHOUT_SERVERS ? [] : ['test/setup/servers.ts'],
    reporters: ['default', './tools/test/count-reporter.ts'],
    projects: [
      {
        test: {
          ...everywhere,
          ...chosen.parts,
          name: 'parts',
          // Files that a process takes one after the other share what it has loaded. Each has servers, names and ports
          // of its own.
          isolate: false,
          ...besideOneAnother,
        },
      },
      {
        test: {
          ...everywhere,
          ...chosen.timers,
          name: 'timers',
          // Each in a process of its own: they move its timers, and nobody else's may run along.
          isolate: true,
          ...besideOneAnother,
        },
      },
      {
        test: {
          ...everywhere,
          ...chosen.systems,
          name: 'systems',
          // These start whole systems of processes, or measure what one of them does: two at once would disturb each
          // other.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
