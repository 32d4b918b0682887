import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { freePort } from '../../../tools/embedded/free-port.ts';
import { spawnGuarded } from '../../../tools/embedded/guarded-process.ts';
import { s3ServerFile } from '../../../tools/test/s3-server.ts';

/** A server of the S3 protocol that keeps objects as files in `folder`, with one bucket. */
export async function startS3(folder: string) {
  const port = await freePort();
  await mkdir(folder, { recursive: true });
  const said: string[] = [];
  const server = spawnGuarded({
    file: process.execPath,
    args: [
      s3ServerFile,
      '-d',
      folder,
      '-a',
      '127.0.0.1',
      '-p',
      String(port),
      '--configure-bucket',
      'botyard',
    ],
    env: { PATH: process.env.PATH },
    cwd: join(folder, '..'),
    orphanSignal: 'TERM',
    onLine: (line) => void said.push(line),
  });
  await eventually('the S3 server listens', () => listens(port)).catch((error: unknown) => {
    throw new Error(said.join('\n'), { cause: error });
  });
  return {
    env: {
      OBJECT_STORE_URL: `http://127.0.0.1:${port}/botyard`,
      OBJECT_STORE_ACCESS_KEY_ID: 'S3RVER',
      OBJECT_STORE_SECRET_ACCESS_KEY: 'S3RVER',
    },
    stop: async () => {
      await server.end([{ signal: 'SIGKILL', waitMs: 2000 }]);
    },
  };
}

async function listens(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
