import type { Dice } from '../dice.ts';

/** Text with this word may never come out behind the gateway. */
export const forgedMark = 'forged';

/**
 * Headers that a service, or a proxy in between, might trust (REQ-REL-11; G-04). A caller may number its requests, with
 * `x-request-id`.
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

/** Spellings of a header that two readers may read differently; some are invalid HTTP. */
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

/** Some headers with `forgedMark` in each value. `isOdd`: not every server can continue after them. */
export function forgedHeaders(dice: Dice): { lines: string[]; isOdd: boolean } {
  let isOdd = false;
  const lines = Array.from({ length: 1 + dice.below(4) }, () => {
    const at = dice.chance(0.9) ? dice.below(harmless) : dice.below(spellings.length);
    isOdd ||= at >= harmless;
    return spellings[at]!(dice.pick(names), `${forgedMark}-${forgedValue(dice)}`);
  });
  return { lines, isOdd };
}

/** Includes an unsigned identity, and one with an untrusted signature. */
function forgedValue(dice: Dice): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const identity = { kind: 'user', idpUserId: 'user_forged', sessionId: 's', isOperator: true };
  const program = { kind: 'token', tokenId: 'forged', tenantId: 'forged' };
  return dice.weighted([
    [3, 'operator'],
    [1, `byd_${dice.digits(43)}`],
    [1, `${encode({ alg: 'EdDSA' })}.${encode({ id: program })}.${dice.digits(86)}`],
    [1, '/api/bots'],
    [1, '127.0.0.1'],
    [1, `${encode({ alg: 'none' })}.${encode({ id: identity, aud: 'tenancy', iss: 'botyard-gateway' })}.`],
    [1, `${encode({ alg: 'EdDSA' })}.${encode({ id: identity })}.${dice.digits(86)}`],
  ]);
}
