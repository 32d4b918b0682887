import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@botyard/shared/secrets/secret';
import { isSignedBy } from '../../domain/signature.ts';
import type { InboundRequest, Verdict } from '../../platform.ts';

/** The secrets of an integration, or of the app that serves many. */
export interface Keys {
  appSecrets: readonly Secret[];
  verifyTokens: readonly Secret[];
}

const signatureShape = /^sha256=([0-9a-f]{64})$/i;
/** The platform sends digits. The answer repeats them, so they may hold nothing that a browser could read as a page. */
const challengeShape = /^[\w-]{1,256}$/;

/** Answers the platform's check of an address, and checks the signature of a delivery, over its bytes as received. */
export const verifyRequest = (request: InboundRequest, keys: Keys): Verdict =>
  request.method === 'GET' ? answerChallenge(request.url, keys) : checkSignature(request, keys);

function answerChallenge(url: string, { verifyTokens }: Keys): Verdict {
  const query = new URL(url, 'http://localhost').searchParams;
  const challenge = query.get('hub.challenge') ?? '';
  if (query.get('hub.mode') !== 'subscribe' || !challengeShape.test(challenge))
    return { outcome: 'refused', reason: 'no challenge' };
  const token = query.get('hub.verify_token') ?? '';
  if (!verifyTokens.some((verifyToken) => isSame(verifyToken.reveal(), token)))
    return { outcome: 'refused', reason: 'wrong verify token' };
  return { outcome: 'answered', status: 200, contentType: 'text/plain', body: challenge };
}

function checkSignature({ headers, rawBody }: InboundRequest, { appSecrets }: Keys): Verdict {
  const header = headers['x-hub-signature-256'];
  const signature = signatureShape.exec(typeof header === 'string' ? header : '')?.[1];
  if (signature === undefined) return { outcome: 'refused', reason: 'no signature' };
  const isSigned = isSignedBy(appSecrets, signature, rawBody);
  return isSigned ? { outcome: 'verified' } : { outcome: 'refused', reason: 'wrong signature' };
}

/** Compares hashes, so that the time tells neither length nor content. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(hashOf(one), hashOf(other));

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
