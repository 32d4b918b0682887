import { canariesIn, hasSecret } from '../fixture/canary.ts';
import type { Fixture } from '../fixture/fixture.ts';
import { foreignIn, groupOf } from '../fixture/learn.ts';
import type { Resource } from '../fixture/pool.ts';
import { operationOf } from '../make-call.ts';
import type { MadeCall, PlannedCall } from '../planned-call.ts';
import { undocumented } from './documented.ts';

export const promises = {
  alive: 'no 5xx',
  documented: 'answers follow their schema and their documented statuses',
  isolated: 'no identifier and no word of another tenant',
  secret: 'no secret is ever shown',
  refused: 'without a session nothing but public routes answers',
  closed: "nobody reaches into another's tenant",
  gone: 'what is deleted is gone (404)',
} as const;
export type Promised = keyof typeof promises;

export interface Breach {
  promised: Promised;
  what: string;
}

/** The state of the call's resources before the call, so that effects of concurrent calls don't count. */
export interface Before {
  isGone: boolean;
  /** True in a deleted tenant, or in one that the caller's group has created in the meantime. */
  isElsewhere: boolean;
  isForeign: boolean;
  isForeignTenant: boolean;
}

export function lookBefore({ pool, tenantOf }: Fixture, plan: PlannedCall): Before {
  const named = plan.pathRefs.map((key) => pool.get(key));
  const group = groupOf(plan.caller);
  const isForeign = (resource: Resource | undefined): boolean =>
    resource?.owner !== undefined && resource.owner !== group && !pool.isPublished(resource.value);
  return {
    isGone: named.some((resource) => resource?.isDeleted),
    isElsewhere: named.some(
      (one) =>
        one?.kind === 'tenantId' && (one.isDeleted || (group !== undefined && one.value !== tenantOf[group])),
    ),
    isForeign: plan.caller !== 'operator' && named.some(isForeign),
    isForeignTenant:
      plan.caller !== 'operator' && named.some((one) => one?.kind === 'tenantId' && isForeign(one)),
  };
}

/** Returns every promise that the response breaks. */
export function judge(fixture: Fixture, call: MadeCall, before: Before): Breach[] {
  const checks: Record<Promised, (fixture: Fixture, call: MadeCall, before: Before) => string | undefined> = {
    alive,
    documented: (_fixture, made) => undocumented(operationOf(made.plan), made),
    isolated,
    secret: ({ name }, { text }) => (hasSecret(text, name) ? `a secret in ${text.slice(0, 300)}` : undefined),
    refused,
    closed,
    gone,
  };
  return Object.entries(checks).flatMap(([promised, check]) => {
    const what = check(fixture, call, before);
    return what === undefined ? [] : [{ promised: promised as Promised, what }];
  });
}

const alive = (_fixture: Fixture, { status, text, headers }: MadeCall): string | undefined =>
  status < 500 ? undefined : `${status} ${text.slice(0, 200)} (request ${headers.get('x-request-id')})`;

/** Finds data of other tenants. Operators may see all tenants. Values that the caller sent don't count. */
function isolated({ pool, name }: Fixture, { plan, sent, text, headers }: MadeCall): string | undefined {
  if (plan.caller === 'operator') return undefined;
  const group = groupOf(plan.caller);
  const all = `${text}${headers.get('link') ?? ''}`;
  const foreign = foreignIn(pool, all, group).find(
    ({ value }) => !sent.includes(value) && !pool.isDisclosed(group, value),
  );
  if (foreign) return `${foreign.kind} ${foreign.value} of ${foreign.owner}`;
  const isShared = /^(listMarketplace|copy\w+Definition)$/.test(plan.route);
  const canary = canariesIn(all, name).find(
    ({ word, group: owner }) => owner !== group && !pool.isPublished(word) && !sent.includes(word),
  );
  return canary && !isShared ? `${canary.word}, a word of ${canary.group}` : undefined;
}

function refused(_fixture: Fixture, { plan, status }: MadeCall): string | undefined {
  if (plan.caller !== 'anonymous' || operationOf(plan).route.access === 'public' || status === 401)
    return undefined;
  // An invalid address is rejected before authentication.
  return status === 400 && /%/.test(plan.path) ? undefined : `401 is due, came ${status}`;
}

function closed(
  _fixture: Fixture,
  { plan, status }: MadeCall,
  { isForeign, isForeignTenant }: Before,
): string | undefined {
  if (plan.caller === 'anonymous' || !isForeign) return undefined;
  if (isForeignTenant && status !== 403) return `403 is due in a foreign tenant, came ${status}`;
  return status < 300 ? `came ${status} for a resource of another tenant` : undefined;
}

/** Checks for 404. The caller and the call's format are validated first and may cause another status. */
function gone(
  _fixture: Fixture,
  { plan, status }: MadeCall,
  { isGone, isElsewhere }: Before,
): string | undefined {
  if (!isGone) return undefined;
  const { route, body } = operationOf(plan);
  const isAllowed =
    plan.caller === 'operator' || (plan.caller.endsWith('.admin') && route.access !== 'operator');
  const isJudgedBefore = body !== null || plan.query !== '' || Object.keys(route.params).length > 0;
  const due = [
    404,
    ...(isJudgedBefore ? [400, 413, 415] : []),
    ...(body === 'binary' ? [422] : []),
    ...(plan.caller === 'anonymous' ? [401] : []),
    ...(plan.caller === 'stranger' ? [400] : []),
    ...(isElsewhere || !isAllowed ? [403] : []),
  ];
  return due.includes(status) ? undefined : `${due.join(' or ')} is due, came ${status}`;
}
