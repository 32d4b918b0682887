import { createHash } from 'node:crypto';
import { webchatLimits } from '@botyard/contracts/platforms/webchat';
import { forbidden } from '@botyard/shared/http/errors';
import { parseForeignJson } from '@botyard/shared/json/parse-json';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { z } from 'zod';
import type { WebchatEndpoint } from './connection.ts';

/** Work that a browser does in about a second, and that a flood has to do for each session. */
export interface Challenge {
  challenge: string;
  /** The SHA-256 of the challenge, a point and the nonce begins with so many zero bits. */
  bits: number;
}

export const Proof = z.object({ challenge: z.string().max(1000), nonce: z.string().regex(/^\d{1,12}$/) });
export type Proof = z.output<typeof Proof>;

const Sealed = z.object({ bits: z.number().int(), until: z.number() });
export const leastBits = 14;
export const mostBits = 20;

/** The work is done for one visitor, so that it makes no second one. */
interface Beginning {
  endpoint: WebchatEndpoint;
  visitorId: string;
}

const bindingOf = ({ endpoint: { tenantId, integrationId }, visitorId }: Beginning) => ({
  purpose: 'webchat-proof',
  tenantId,
  recordId: integrationId,
  visitorId,
});

/** Any process can check it: nothing about it is stored. */
export async function newChallenge(keyring: Keyring, beginning: Beginning, bits: number): Promise<Challenge> {
  const content = JSON.stringify({ bits, until: Date.now() + webchatLimits.proofMs });
  return { challenge: await keyring.seal(new Secret(content), bindingOf(beginning)), bits };
}

/** Checks the work. @throws HttpError 403. */
export async function checkProof(
  keyring: Keyring,
  beginning: Beginning,
  { challenge, nonce }: Proof,
): Promise<void> {
  const opened = await keyring.open(challenge, bindingOf(beginning)).catch(() => {
    throw forbidden('the proof is not valid');
  });
  const { bits, until } = Sealed.parse(parseForeignJson(opened.reveal()));
  if (until < Date.now()) throw forbidden('the proof has expired');
  const hash = createHash('sha256').update(`${challenge}.${nonce}`).digest();
  if (zeroBitsOf(hash) < bits) throw forbidden('the proof is not valid');
}

export function zeroBitsOf(hash: Uint8Array): number {
  const first = hash.findIndex((byte) => byte !== 0);
  return first < 0 ? hash.length * 8 : first * 8 + Math.clz32(hash[first]!) - 24;
}
