import type { Bench } from '../../part.ts';
import { fetchNpmPeer } from '../fetch/npm-peer.ts';
import { type PeerProcess, startPeer } from '../peer-process.ts';

export interface GatewayWiring {
  issuer: string;
  /** The issuer's public key as PEM. */
  publicKey: string;
  upstreamPort: number;
}

export async function startFastifyGateway(
  { cleanup, say }: Bench,
  { issuer, publicKey, upstreamPort }: GatewayWiring,
  { hasTokenCache }: { hasTokenCache: boolean },
): Promise<PeerProcess> {
  const env = {
    PEER_HOME: await fetchNpmPeer('fastify', { say }),
    IDP_ISSUER: issuer,
    PUBLIC_KEY: publicKey,
    UPSTREAM_URL: `http://127.0.0.1:${upstreamPort}`,
    TOKEN_CACHE: String(hasTokenCache),
  };
  return await startPeer('fastify/gateway', { cleanup, env });
}
