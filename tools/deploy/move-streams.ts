import { connect } from 'node:net';
import { baseConfig, natsServers, readConfig } from '@botyard/shared/config/config';
import { z } from 'zod';
import { hasSharedStreams, moveSharedStreams } from '../embedded/nats-store.ts';

const StreamsConfig = z.object({ NATS_URL: natsServers, NATS_NAMESPACE: baseConfig.shape.NATS_NAMESPACE });
const connectMs = 2000;

/**
 * Moves the streams of a single server's store to the accounts that keep them. Changes nothing once that is done.
 * @throws Error if a server is running that would still use the files.
 */
export async function moveStreams(
  storeDir: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { NATS_URL, NATS_NAMESPACE } = readConfig(StreamsConfig, env);
  if (!(await hasSharedStreams(storeDir, NATS_NAMESPACE))) return;
  if (await isListening(new URL(NATS_URL.split(',')[0]!)))
    throw new Error('nats-server is running on this store: stop it first (docker compose stop nats)');
  const streams = await moveSharedStreams(storeDir, NATS_NAMESPACE);
  console.log(`streams: moved ${streams.join(', ')}`);
}

const isListening = ({ hostname, port }: URL): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || 4222), timeout: connectMs });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
