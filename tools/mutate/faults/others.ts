import { faultsOf } from '../fault.ts';

const tenancy = (name: string) =>
  [`services/tenancy/src/${name}.ts`, `services/tenancy/test/${name}.test.ts`] as const;
const consoleApi = (name: string) => [`console/src/api/${name}.ts`, `console/test/${name}.test.ts`] as const;

export const otherFaults = [
  ...faultsOf(...consoleApi('live-stream'), [
    ["a page listens to another tenant's stream", 'if (this.#who !== who) this.#close();', ''],
    ['an open chat is read for events of every chat', 'chatId === undefined || ', 'true || '],
  ]),
  ...faultsOf(...consoleApi('gather'), [
    ['an answer is asked for twice at once', 'if (!isBusy) void', 'void'],
  ]),
  ...faultsOf(...consoleApi('foresee'), [
    ['what the API has refused stays shown', 'queries.setQueryData(queryKey, answer);', ''],
    ['an answer on its way shows what was', 'await queries.cancelQueries(shown);', ''],
  ]),
  ...faultsOf(...tenancy('messenger-login/domain/signed-login'), [
    ['a login is good for ever', 'ageSeconds > freshForSeconds || ', ''],
    ['a login needs no signature', ' || !isSigned(fields, parsed.data.hash, botToken)', ''],
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
