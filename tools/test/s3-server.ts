import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', '..', '.data', 'test-deploy', 'packages');

/** The `s3rver` program. It isn't a dependency of the project, because only one test needs it. */
export const s3ServerFile = join(folder, 'node_modules', 's3rver', 'bin', 's3rver.js');

/** Fetches `s3rver` from the npm registry if necessary. @returns true if it is installed */
export function installS3Server(): boolean {
  if (existsSync(s3ServerFile)) return true;
  mkdirSync(folder, { recursive: true });
  const options = ['--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  spawnSync('npm', ['install', ...options, 's3rver@3.7.1'], { stdio: 'ignore', timeout: 180_000 });
  return existsSync(s3ServerFile);
}
