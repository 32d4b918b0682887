import { accessChanged, authorizationChanged, resolveCaller } from '@botyard/contracts/events/tenancy';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import { expect } from 'vitest';
import type { AskCase, Step, Tables } from '../support/tables.ts';
import type { TestTenant } from '../support/test-tenant.ts';

interface Reads {
  /** For an admin of the tenant; needs nothing else. */
  path: (tenant: TestTenant) => string;
  /** Status for a mere member, and for a responder, in a session without an active tenant. */
  ofMember: number;
  /** A decision about a caller who may be cached; absent if each call is resolved again. */
  remembered?: Step<{ status: number }>;
}

export const readAs =
  (who: 'admin' | 'operator', path: (tenant: TestTenant) => string): Step<{ status: number }> =>
  (sut, tenant) =>
    sut.process.call('GET', path(tenant), { as: tenant[who] });

/** The answers of all services that ask tenancy for callers. */
export function remoteCallers({ path, ofMember, remembered }: Reads): {
  asks: Readonly<Record<string, AskCase>>;
  watches: Tables['watches'];
} {
  const read = readAs('admin', path);
  const readAsOperator = readAs('operator', path);
  return {
    asks: {
      'tenancy.caller.resolve.v1': {
        provoke: read,
        answered: {
          first: 200,
          'with-ties-and-policies': ofMember,
          nobody: 401,
          'first-visit': 200,
          'api-token': 200,
          'api-token-without-end': 200,
          responder: ofMember,
        },
      },
      'tenancy.tenant.exists.v1': { provoke: readAsOperator },
      'tenancy.access.decide.v1': {
        provoke: readAsOperator,
        // In the operator's sample the tenant is the requested one, whoever the operator is.
        answered: { first: 200, refused: 403, 'of-an-operator': 403, 'of-an-api-token': 200 },
      },
    },
    watches: {
      'tenancy.access.changed.v1': forgetsCaller(
        read,
        remembered,
        async (sut, { admin, operator, tenantId }) => {
          for (const person of [admin, operator])
            await sut.publish(accessChanged, { idpUserId: nameOf(person), tenantId });
        },
      ),
      'tenancy.authorization.changed.v1': forgetsCaller(read, remembered, (sut, { tenantId }) =>
        sut.publish(authorizationChanged, { tenantId }),
      ),
    },
  };
}

const nameOf = (identity: TestTenant['admin']): string =>
  identity.kind === 'user' ? identity.idpUserId : '';

/** A caller is requested once and cached, until tenancy announces a change. */
function forgetsCaller(
  read: Step<{ status: number }>,
  remembered: Step<{ status: number }> | undefined,
  change: Step,
): Step {
  return async (sut, tenant) => {
    const questions = sut.fakes.asked(resolveCaller);
    const isAskedAgain = async () => {
      const before = questions.length;
      expect((await (remembered ?? read)(sut, tenant)).status).toBe(200);
      return questions.length > before;
    };
    if (remembered) await eventually('the caller is remembered', async () => !(await isAskedAgain()));
    await change(sut, tenant);
    await eventually('the caller is asked for again', isAskedAgain, beforeItExpires);
  };
}
