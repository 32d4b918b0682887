import type { SeededRandom } from '../seeded-random.ts';

/** Text with this word must never pass the gateway. */
export const forgedMark = 'forged';

/**
 * Headers that a service or a proxy might trust (REQ-REL-11; G-04). `x-request-id` is not among them, because callers
 * may set it.
 */
const names = [
  ...[
    'x-botyard-identity',
    'X-Botyard-Identity',
    'X-BOTYARD-IDENTITY',
    'x_botyard_identity',
    'x-botyard-tenant',
  ],
  ...[
    'x-botyard-operator',
    'x-botyard-instance',
    'x-user-id',
    'x-tenant-id',
    'x-idp-user-id',
    'x-is-operator',
  ],
  ...[
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-prefix',
    'x-forwarded-uri',
    'forwarded',
    'x-real-ip',
  ],
  ...['x-original-url', 'x-rewrite-url', 'x-http-method-override', 'x-middleware-subrequest', 'x-api-key'],
  ...['cookie', 'proxy-authorization', 'traceparent', 'tracestate', 'via', 'te', 'trailer', 'origin'],
];

/** Spellings of a header that two parsers may read differently. Some are invalid HTTP. */
const spellings: readonly ((name: string, value: string) => string)[] = [
  (name, value) => `${name}: ${value}`,
  (name, value) => `${name}:${value}`,
  (name, value) => `${name}: ${value}\r\n${name}: ${value}-again`,
  (name, value) => `${name}:\t ${value} \t`,
  (name, value) => `${name} : ${value}`,
  (name, value) => `accept: a\r\n ${name}: ${value}`,
  (name, value) => `accept: a\n${name}: ${value}`,
  (name, value) => `accept: a\r${name}: ${value}`,
  (name, value) => `connection: ${name}, keep-alive\r\n${name}: ${value}`,
  (name, value) => `\0${name}: ${value}`,
];
const harmless = 4;

/** Draws headers with `forgedMark` in each value. After `isOdd` headers not every server can continue. */
export function forgedHeaders(random: SeededRandom): { lines: string[]; isOdd: boolean } {
  let isOdd = false;
  const lines = Array.from({ length: 1 + random.below(4) }, () => {
    const at = random.chance(0.9) ? random.below(harmless) : random.below(spellings.length);
    isOdd ||= at >= harmless;
    return spellings[at]!(random.pick(names), `${forgedMark}-${forgedValue(random)}`);
  });
  return { lines, isOdd };
}

/** Draws a value, for example an unsigned identity or one with an untrusted signature. */
function forgedValue(random: SeededRandom): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const identity = { kind: 'user', idpUserId: 'user_forged', sessionId: 's', isOperator: true };
  const program = { kind: 'token', tokenId: 'forged', tenantId: 'forged' };
  return random.weighted([
    [3, 'operator'],
    [1, `${encode({ alg: 'EdDSA' })}.${encode({ id: program })}.${random.digits(86)}`],
    [1, '/api/bots'],
    [1, '127.0.0.1'],
    [1, `${encode({ alg: 'none' })}.${encode({ id: identity, aud: 'tenancy', iss: 'botyard-gateway' })}.`],
    [1, `${encode({ alg: 'EdDSA' })}.${encode({ id: identity })}.${random.digits(86)}`],
  ]);
}
