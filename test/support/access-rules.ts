import type { AnyRoute, Router } from '@botyard/contracts/http/contract';
import { z } from 'zod';
import { type CallerKind, callerKinds } from './access-fixture.ts';

/**
 * The owner of the things that a request names; `malformed` ones have identifiers that can't exist. `crossed`, `absent`
 * and `misspelt` name the caller's own tenant, with a resource of another tenant, a missing or a malformed one.
 */
export const targets = ['own', 'other', 'missing', 'malformed', 'crossed', 'absent', 'misspelt'] as const;
export type Target = (typeof targets)[number];

export interface Cell {
  router: Router;
  name: string;
  route: AnyRoute;
  caller: CallerKind;
  target: Target;
}

/** The expected outcome: no identity, no right, no tenant to act in, nothing found, or the handler's own answer. */
export type Verdict = 'unauthorized' | 'forbidden' | 'no tenant' | 'not found' | 'allowed' | 'own checks';

/** Statuses that mean a verdict. The handler's own answer may find fault with the body, but never with the caller. */
export const statusesOf: Readonly<Record<Verdict, readonly number[]>> = {
  unauthorized: [401],
  forbidden: [403],
  'no tenant': [400],
  'not found': [404],
  allowed: [200, 201, 202, 204, 400, 409, 422],
  // A public route distinguishes its callers by their own credentials, and these have none.
  'own checks': [200, 400, 401],
};

const pathParams = ({ path }: AnyRoute): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
const isInPath = (route: AnyRoute): boolean => pathParams(route).includes('tenantId');
/** Parameters that name a resource: not the tenant, and not a word with a shape of its own. */
const namesResource = (route: AnyRoute): boolean =>
  pathParams(route).some((name) => name !== 'tenantId' && !route.params[name]);
const narrowsByQuery = ({ query }: AnyRoute): boolean =>
  query instanceof z.ZodObject && 'tenantId' in query.shape;

/** Every cell of the walk; deletions come last, from the innermost resource outwards. */
export function cellsOf(routers: readonly Router[]): Cell[] {
  const cells = routers.flatMap((router) =>
    Object.entries(router.routes).flatMap(([name, route]) =>
      targetsOf(route).flatMap((target) =>
        callerKinds.map((caller) => ({ router, name, route, caller, target })),
      ),
    ),
  );
  const rank = ({ name, route: { method, path } }: Cell) =>
    name === 'deleteTenant' ? 100 : method === 'delete' ? 50 - path.split('/').length : 0;
  return cells.sort((left, right) => rank(left) - rank(right));
}

function targetsOf(route: AnyRoute): readonly Target[] {
  const ofWhole = ['own', 'other', 'missing', 'malformed'] as const;
  if (isInPath(route)) return namesResource(route) ? targets : ofWhole;
  if (namesResource(route) || narrowsByQuery(route)) return ofWhole;
  return ['own'];
}

type TenantRole = 'nobody' | 'member' | 'admin' | 'operator';

/** The caller's role in the tenant that a target names. */
function roleIn(caller: CallerKind, tenant: 'own' | 'other' | 'missing'): TenantRole {
  if (caller === 'operator') return 'operator';
  if (tenant === 'own' && (caller === 'member' || caller === 'admin')) return caller;
  return tenant === 'other' && caller === 'admin of another tenant' ? 'admin' : 'nobody';
}

/** A malformed identifier is treated like a missing one, so that it tells nothing. */
const sameAs: Partial<Record<Target, Target>> = { malformed: 'missing', misspelt: 'absent' };

/** The verdict that follows from the route alone. @throws for an access level that this test doesn't know. */
export function expected({ target, ...rest }: Cell): Verdict {
  const cell = { ...rest, target: sameAs[target] ?? target };
  const { route, caller } = cell;
  if (caller === 'no identity') return 'unauthorized';
  if (route.access === 'public') return 'own checks';
  if (caller === 'anonymous') return 'unauthorized';
  return expectedOfPerson(cell);
}

function expectedOfPerson({ router, route, caller, target }: Cell): Verdict {
  switch (route.access) {
    case 'public':
      return 'own checks';
    case 'authenticated':
      return pathParams(route).includes('invitationId') ? 'not found' : 'allowed';
    case 'operator':
      if (caller !== 'operator') return 'forbidden';
      return isOfPlatform(router) ? amongPlatform(route, target) : amongAll(route, target);
    case 'anyAdminOrOperator':
      return amongPeople(route, caller, target);
    case 'anyAdmin':
      return amongAdministered(route, caller, target);
    case 'member':
    case 'responder':
    case 'admin':
      return isInPath(route) ? inNamedTenant(route, caller, target) : inActiveTenant(route, caller, target);
    default:
      throw new Error(`no expectation for the access level ${String(route.access satisfies never)}`);
  }
}

/** Public to the gate, but of no use without a token that came by mail: to everybody here it is closed. */
export const checksOwnTokens = ({ basePath }: Router): boolean => basePath === '/api/email-auth';

/** Only the platform's own resources exist there. */
const amongPlatform = (route: AnyRoute, target: Target): Verdict =>
  namesResource(route) && target !== 'own' ? 'not found' : 'allowed';

const isOfPlatform = ({ basePath }: Router): boolean => basePath === '/api/bots/superadmin';

/** Every resource exists there, of any tenant. */
const amongAll = (route: AnyRoute, target: Target): Verdict =>
  (namesResource(route) || isInPath(route)) && target === 'missing' ? 'not found' : 'allowed';

/** No tie to any tenant, or none any more. */
const isOutside = (caller: CallerKind): boolean => caller === 'stranger' || caller === 'removed admin';

/** An admin sees the people of the own tenant, an operator all. */
function amongPeople(route: AnyRoute, caller: CallerKind, target: Target): Verdict {
  if (isOutside(caller) || caller === 'member' || caller === 'responder') return 'forbidden';
  if (!namesResource(route)) return 'allowed';
  if (caller === 'operator') return target === 'missing' ? 'not found' : 'allowed';
  return target === (caller === 'admin' ? 'own' : 'other') ? 'allowed' : 'not found';
}

function amongAdministered(route: AnyRoute, caller: CallerKind, target: Target): Verdict {
  if (caller !== 'admin' && caller !== 'admin of another tenant') return 'forbidden';
  if (!narrowsByQuery(route)) return 'allowed';
  return roleIn(caller, target === 'other' ? 'other' : target === 'own' ? 'own' : 'missing') === 'admin'
    ? 'allowed'
    : 'forbidden';
}

function inNamedTenant(route: AnyRoute, caller: CallerKind, target: Target): Verdict {
  const tenant = target === 'other' || target === 'missing' ? target : 'own';
  const role = roleIn(caller, tenant);
  if (role === 'operator' && tenant === 'missing') return 'not found';
  if (role === 'nobody' || (role === 'member' && route.access === 'admin')) return 'forbidden';
  return target === 'crossed' || target === 'absent' ? 'not found' : 'allowed';
}

/**
 * The operator has chosen the own tenant; a stranger has none, everybody else one. A responder acts where they answer.
 */
function inActiveTenant(route: AnyRoute, caller: CallerKind, target: Target): Verdict {
  if (isOutside(caller)) return 'no tenant';
  if (caller === 'responder' && route.access !== 'responder') return 'forbidden';
  if (caller === 'member' && route.access !== 'member') return 'forbidden';
  const active = caller === 'admin of another tenant' ? 'other' : 'own';
  return namesResource(route) && target !== active ? 'not found' : 'allowed';
}
