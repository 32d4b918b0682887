import { defineConfig } from 'vitest/config';

/**
 * What operators run: containers, servers of Debian's, upgrades. One file after another, because they share one engine.
 */
export default defineConfig({
  test: {
    include: ['test/deploy/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/.data/**'],
    globalSetup: ['test/setup/servers.ts'],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 900_000,
    teardownTimeout: 60_000,
    reporters: ['verbose', './tools/test/count-reporter.ts'],
  },
});
