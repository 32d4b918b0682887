import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{libs,services,tools}/**/test/**/*.test.ts', 'tools/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/.data/**'],
    globalSetup: ['test/setup/servers.ts'],
    env: { NODE_ENV: 'test' },
    pool: 'forks',
    fileParallelism: true,
    // Most files wait for processes, timers and disks: more of them at once than there are cores.
    maxWorkers: 4,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    reporters: ['default', './tools/test/count-reporter.ts'],
  },
});
