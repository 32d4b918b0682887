import { botToken, webhookSecret } from '../../installation/bots.ts';
import type { Groups } from '../../measure/processes.ts';
import type { Bench } from '../../part.ts';
import { fetchNpmPeer } from '../fetch/npm-peer.ts';
import { type PeerProcess, startPeer } from '../peer-process.ts';
import { startRedis } from './redis.ts';

interface GrammyPeer extends PeerProcess {
  pids: Groups;
  redisVersion: string;
}

/** Starts grammY with BullMQ, either for admission only or as a whole bot, which needs the platforms' addresses. */
export async function startGrammy(
  bench: Bench,
  platforms?: { messengerUrl: string; modelUrl: string },
): Promise<GrammyPeer> {
  const home = await fetchNpmPeer('grammy', bench);
  const redis = await startRedis(bench);
  const env = {
    PEER_HOME: home,
    REDIS_PORT: String(redis.port),
    BOT_TOKEN: botToken(999_998),
    WEBHOOK_SECRET: webhookSecret,
  };
  const peer = await (platforms
    ? startPeer('grammy/bot', {
        cleanup: bench.cleanup,
        env: { ...env, MESSENGER_URL: platforms.messengerUrl, MODEL_URL: platforms.modelUrl },
      })
    : startPeer('grammy/admission', { cleanup: bench.cleanup, env }));
  return { ...peer, pids: { server: peer.pid, redis: redis.pid }, redisVersion: redis.version };
}
