import { ask } from '../../rig/people.ts';
import type { Fixture } from './fixture/fixture.ts';
import { groupOf, learn } from './fixture/learn.ts';
import { type Before, type Breach, judge, lookBefore } from './judge/judge.ts';
import { describeCall, makeCall, operationOf } from './make-call.ts';
import type { MadeCall, PlannedCall } from './planned-call.ts';

export interface Played {
  plan: PlannedCall;
  /** `undefined` if there was no response. */
  made: MadeCall | undefined;
  breaches: readonly Breach[];
  /** A description for people. */
  line: string;
}

/** Makes the calls of one batch concurrently, judges the responses and learns from them. */
export async function playBatch(fixture: Fixture, batch: readonly PlannedCall[]): Promise<Played[]> {
  const befores = batch.map((plan) => lookBefore(fixture, plan));
  const played = await Promise.all(batch.map((plan, index) => play(fixture, plan, befores[index]!)));
  for (const { plan, made } of played) {
    if (made) learn(fixture, { path: operationOf(plan).path, operation: plan.route }, made);
  }
  await keepTenantsChosen(
    fixture,
    played.flatMap(({ made }) => made ?? []),
  );
  return played;
}

async function play(fixture: Fixture, plan: PlannedCall, before: Before): Promise<Played> {
  try {
    const made = await makeCall(fixture, plan);
    return { plan, made, breaches: judge(fixture, made, before), line: describeCall(made) };
  } catch (error) {
    const what = `no readable response: ${(error as Error).message}`;
    return { plan, made: undefined, breaches: [{ promised: 'alive', what }], line: `${plan.route}: ${what}` };
  }
}

/** Selects callers' first tenants again if their active tenant was deleted or changed. */
async function keepTenantsChosen(fixture: Fixture, calls: readonly MadeCall[]): Promise<void> {
  const isMoved = ({ plan, status }: MadeCall) =>
    status < 300 &&
    (plan.route === 'selectTenant' || plan.route === 'deleteTenant' || plan.route === 'createTenant');
  for (const { plan } of calls.filter(isMoved)) {
    const group = plan.caller === 'operator' ? 'A' : groupOf(plan.caller);
    if (group === undefined || plan.caller === 'anonymous') continue;
    const { bearer } = fixture.people[plan.caller];
    const { system } = fixture.installation;
    await ask(system, bearer, 'POST /api/tenant/select', { tenantId: fixture.tenantOf[group] });
  }
}
