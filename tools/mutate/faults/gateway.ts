import { faultsOf } from '../fault.ts';

const src = (name: string) => `services/gateway/src/${name}.ts`;
const test = (name: string) => `services/gateway/test/${name}.test.ts`;

export const gatewayFaults = [
  ...faultsOf(src('domain/request-target'), test('domain/request-target'), [
    ['a path may have dot segments', ' || dotSegment.test(path)', ''],
    ['a request target may be of any length', 'url.length > maxBytes || ', ''],
    ['the gate sees a path as it was written', '{ path: path.toLowerCase() }', '{ path }'],
  ]),
  ...faultsOf(src('domain/request-target'), test('domain/routing-table'), [
    [
      'a prefix covers what only begins like it',
      "(path.length === prefix.length || path[prefix.length] === '/')",
      'true',
    ],
  ]),
  ...faultsOf(src('domain/session-token'), test('domain/session-token'), [
    ['a token of another kind is taken', "(protectedHeader.typ ?? 'JWT').toUpperCase() !== 'JWT'", 'false'],
    ['a session that is pending is taken', "payload.sts === 'pending'", 'false'],
    ['a token of the future is taken', 'claims.data.iat > now / 1000 + leewaySeconds', 'false'],
    ['a token for another party is taken', 'authorizedParties.length > 0 && !isListed', 'false'],
    ["a member of the platform's organization is an operator", " && org.role === 'org:admin'", ''],
    [
      'an admin of any organization is an operator',
      'org?.id === rules.platformOrgId && org.role',
      'org?.role',
    ],
    ['a token of any issuer is taken', '!isSameAddress(payload.iss, issuer)', 'false'],
    ['a token is taken an hour after its end', 'clockTolerance: leewaySeconds', 'clockTolerance: 3600'],
  ]),
  ...faultsOf(src('domain/authenticate'), test('domain/authenticate'), [
    ['a remembered token never ends', '!session || session.expiresAtMs <= now()', '!session'],
    [
      'a token is remembered beyond its own end',
      'Math.min(session.expiresAtMs, now() + rememberedMs)',
      'now() + rememberedMs',
    ],
    [
      'development mode answers other machines',
      'return fault ? notOfThisMachine(fault) : developer();',
      'return developer();',
    ],
    [
      'no token is needed outside of development mode',
      'if (!localRequestFault) return unauthorized();',
      'if (!localRequestFault) return developer();',
    ],
  ]),
  ...faultsOf(src('clients/session-keys'), test('clients/session-keys'), [
    [
      'each unknown key is asked for',
      'if (now() - this.#soughtKidAt < unknownKidCooldownMs) return false;',
      '',
    ],
    [
      'keys are forgotten while the provider is away',
      'this.#options.refreshAfterMs + staleForMs',
      'this.#options.refreshAfterMs',
    ],
    ['a key set may be elsewhere', "redirect: 'error', ", ''],
    [
      'a key set may be of any size',
      'readBoundedJson(response, maxSetBytes)',
      'readBoundedJson(response, Infinity)',
    ],
  ]),
];
