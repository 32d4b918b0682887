import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const root = join(import.meta.dirname, '..', '..', '..');

export interface Output {
  stdout: string;
  stderr: string;
}

/** A Docker Engine with Compose, spoken to by its command line. */
export interface Engine {
  /** Runs `docker …` in the project's folder. @throws with its output if it fails. */
  docker(
    args: readonly string[],
    options?: { env?: Record<string, string>; timeoutMs?: number },
  ): Promise<Output>;
}

/** `BOTYARD_DOCKER` names the command; `npm run test:deploy` has seen that an engine answers. */
const command = process.env.BOTYARD_DOCKER || 'docker';
// The tests' own settings are none of an installation's.
const { NODE_ENV: _mode, PORT: _port, ...ownEnv } = process.env;

export const engine: Engine = {
  docker: async (args, { env = {}, timeoutMs = 600_000 } = {}) =>
    await run(command, [...args], {
      cwd: root,
      env: { ...ownEnv, ...env },
      timeout: timeoutMs,
      maxBuffer: 64 * 1024 * 1024,
    }),
};
