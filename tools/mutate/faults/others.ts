import { faultsOf } from '../fault.ts';

const tenancy = (name: string) =>
  [`services/tenancy/src/${name}.ts`, `services/tenancy/test/${name}.test.ts`] as const;

export const otherFaults = [
  ...faultsOf(...tenancy('messenger-login/domain/signed-login'), [
    ['a login is good for ever', 'ageSeconds > freshForSeconds || ', ''],
    ['a login needs no signature', ' || !isSigned(fields, known.data.hash, botToken)', ''],
  ]),
  ...faultsOf(...tenancy('identity/domain/plan-seats'), [
    ['a tenant may lose its last admin', 'keepAnAdmin({ seats, grants, wanted }, next, plan);', ''],
    ['the identity provider takes away what was given here', "seat.source === 'api' || ", ''],
  ]),
  ...faultsOf(...tenancy('policies/domain/engine'), [
    ['a policy that fails is passed over', 'diagnostics.errors.length > 0', 'false'],
    [
      'a set that cannot be read allows',
      'return entry.isFaulty ? failed([]) : decideIn(',
      'return entry.isFaulty ? { isAllowed: true } : decideIn(',
    ],
  ]),
  ...faultsOf('services/usage/src/domain/period.ts', 'services/usage/test/domain/period.test.ts', [
    ['a reset counts for later months, too', 'resetAt <= calendar.start || ', ''],
  ]),
];
