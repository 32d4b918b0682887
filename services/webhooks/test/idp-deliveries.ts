import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { TestService } from '@botyard/testing/service-harness';
import { type Answer, anonymous } from '@botyard/testing/test-call';

const fixtures = new URL('../../../test/fixtures/', import.meta.url);

export const newSigningSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** The provider's own worked examples. */
export const vectors = JSON.parse(readFileSync(new URL('idp-vectors.json', fixtures), 'utf8')) as {
  secret: string;
  headers: Record<string, string>;
  standard_webhooks_vector: {
    secret: string;
    id: string;
    timestamp: number;
    body: string;
    signature: string;
  };
};

export const sampleNames = readdirSync(new URL('idp/', fixtures)).map((name) => name.replace('.json', ''));

/** The exact bytes of a sample delivery. */
export const sampleBytes = (name: string): Buffer => readFileSync(new URL(`idp/${name}.json`, fixtures));

// biome-ignore lint/suspicious/noExplicitAny: a test changes what it wants of it
export const sample = (name: string): any => JSON.parse(sampleBytes(name).toString());

export interface Signing {
  secret: string;
  id?: string;
  atSeconds?: number;
}

/** Signs a body by the scheme, on its own: the library that verifies has no part in it. */
export function sign(body: string | Buffer, signing: Signing): Record<string, string> {
  const { secret, id = `msg_${randomUUID()}`, atSeconds = Math.floor(Date.now() / 1000) } = signing;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const hmac = createHmac('sha256', key).update(`${id}.${atSeconds}.`).update(body);
  return {
    'svix-id': id,
    'svix-timestamp': String(atSeconds),
    'svix-signature': `v1,${hmac.digest('base64')}`,
  };
}

/** Posts an event as the gateway passes it on. */
export function deliver(
  webhooks: TestService,
  event: unknown,
  { headers, ...signing }: Signing & { headers?: Record<string, string> },
): Promise<Answer> {
  const rawBody = typeof event === 'string' ? event : JSON.stringify(event);
  return webhooks.call('POST', '/webhooks/idp', {
    as: anonymous,
    rawBody,
    headers: headers ?? sign(rawBody, signing),
  });
}
