import { randomInt } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import type { AskCase, Step } from '../support/tables.ts';
import type { TestTenant } from '../support/test-tenant.ts';
import { createTenant } from './tenancy-steps.ts';

interface ErasureRow extends Record<string, unknown> {
  state: string;
  /** Why it can't continue. */
  reason: string | null;
}

/** The outcome as an HTTP status of a synchronous erasure: done, postponed, refused, failed, no responder. */
const statuses: Readonly<Record<string, number>> = {
  'transactions that began before the request': 202,
  'a message that is being sent': 202,
  'not today': 422,
  'an internal error: look for this requestId in the log': 500,
  'the agents service does not answer': 503,
  'the webhooks service does not answer': 503,
};

const requestIds = new Map<TestTenant, string>();

/** A silent neighbour delays the erasure, and at most two erasures run concurrently. */
const statusOfErasure: Step<{ status: number }> = async (sut, tenant) =>
  await eventually('the erasure is done, or it is known why not', async () => {
    const [row] = await sut.rows<ErasureRow>(
      'select state, waits_for as reason from tenancy.erasures where erasure_id = $1',
      [requestIds.get(tenant)],
    );
    if (row?.state === 'done') return { status: 200 };
    const status = statuses[row?.reason ?? ''];
    return status !== undefined && { status };
  });

/** Erases another person each time: a second erasure of the same person can't be requested meanwhile. */
const erase: Step<{ status: number }> = async (sut, tenant) => {
  const account = { platform: 'messenger', platformUserId: String(randomInt(1e9, 1e10)) };
  const { requestId } = await sut.make(tenant, 'POST', '/api/admin/gdpr/requests', account);
  requestIds.set(tenant, requestId);
  return await statusOfErasure(sut, tenant);
};

const isErased: Step = (sut, tenant) =>
  eventually('the erasure is done', async () => (await statusOfErasure(sut, tenant)).status === 200);

/** When it is done nothing but hashed identifiers is known of the person: whom they mean is asked then. */
const eraseTwice: Step<{ status: number }> = async (sut, tenant) => {
  await erase(sut, tenant);
  await isErased(sut, tenant);
  await sut.make(tenant, 'POST', `/api/admin/gdpr/requests/${requestIds.get(tenant)}/rerun`);
  return await statusOfErasure(sut, tenant);
};

const inErasure: AskCase = { arrange: createTenant, provoke: erase, resumes: isErased };

/** The requests that tenancy sends while it erases a person. */
export const tenancyErasureAsks: Readonly<Record<string, AskCase>> = {
  'agents.person.find.v1': inErasure,
  'agents.person.erase.v1': { ...inErasure, answered: { first: 200, waits: 202 } },
  'webhooks.person.erase.v1': { ...inErasure, answered: { first: 200, waits: 202 } },
  'webhooks.person.find.v1': { ...inErasure, provoke: eraseTwice },
};
