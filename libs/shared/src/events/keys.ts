import { z } from 'zod';
import { defineRequest } from '../bus/definition.ts';
import { Provider, Resolution } from '../contracts/keys.ts';

/** An elliptic-curve public key (P-256) of the asking process, made at its start and never stored. */
export const RecipientKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
});

export const resolveKey = defineRequest('keys.key.resolve.v1', {
  summary: 'Chooses the key of a model call and hands it over, sealed for the asking process.',
  callers: ['agents'],
  request: z.object({
    tenantId: z.uuid(),
    provider: Provider,
    botId: z.uuid().optional(),
    agentId: z.uuid().optional(),
    recipient: RecipientKey,
  }),
  response: Resolution.extend({
    /** JWE (ECDH-ES, A256GCM) of the key; `null` when none was found, or when the private LLM needs none. */
    sealedKey: z.string().nullable(),
    /** `name[:port]` that the key may be sent to: the asker refuses any other (reliability, rule 16). */
    host: z.string().nullish(),
  }),
  timeoutMs: 2000,
});
