import { defineConfig } from 'vitest/config';

/** These start whole systems of processes, or measure what one of them does: two at once would disturb each other. */
const systems = [
  'test/e2e/**/*.test.ts',
  'test/faults/**/*.test.ts',
  'tools/{fuzz,launcher}/test/**/*.test.ts',
];
/** `npm run test:deploy` runs these: they need an engine, or servers of Debian's. */
const deployments = ['test/deploy/**'];
const never = ['**/node_modules/**', '**/.data/**', ...deployments];

const everywhere = {
  env: { NODE_ENV: 'test' },
  pool: 'forks',
  // Longer than `eventually` waits, which says for what; a test that passes never waits for these.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  teardownTimeout: 60_000,
} as const;

export default defineConfig({
  test: {
    globalSetup: ['test/setup/servers.ts'],
    reporters: ['default', './tools/test/count-reporter.ts'],
    projects: [
      {
        test: {
          ...everywhere,
          name: 'parts',
          include: ['{libs,services,tools}/**/test/**/*.test.ts', 'tools/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...never, ...systems],
          // Most files wait for servers and disks: more of them at once than there are cores.
          maxWorkers: 4,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...everywhere,
          name: 'systems',
          include: systems,
          exclude: never,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
