import { ask } from '../house/people.ts';
import { type Before, type Breach, judge, lookBefore } from './judge/judge.ts';
import { describeCall, makeCall, operationOf } from './make-call.ts';
import type { MadeCall, PlannedCall } from './planned-call.ts';
import { groupOf, learn } from './world/learn.ts';
import type { World } from './world/world.ts';

export interface Played {
  plan: PlannedCall;
  /** `undefined` if there was no response. */
  made: MadeCall | undefined;
  breaches: readonly Breach[];
  /** A description for people. */
  line: string;
}

/** Makes the calls of one batch concurrently, judges the responses and learns from them. */
export async function playBatch(world: World, batch: readonly PlannedCall[]): Promise<Played[]> {
  const befores = batch.map((plan) => lookBefore(world, plan));
  const played = await Promise.all(batch.map((plan, index) => play(world, plan, befores[index]!)));
  for (const { plan, made } of played) {
    if (made) learn(world, { path: operationOf(plan).path, operation: plan.route }, made);
  }
  await keepTenantsChosen(
    world,
    played.flatMap(({ made }) => made ?? []),
  );
  return played;
}

async function play(world: World, plan: PlannedCall, before: Before): Promise<Played> {
  try {
    const made = await makeCall(world, plan);
    return { plan, made, breaches: judge(world, made, before), line: describeCall(made) };
  } catch (error) {
    const what = `no readable response: ${(error as Error).message}`;
    return { plan, made: undefined, breaches: [{ promised: 'alive', what }], line: `${plan.route}: ${what}` };
  }
}

/** Selects callers' first tenants again if their active tenant was deleted or changed. */
async function keepTenantsChosen(world: World, calls: readonly MadeCall[]): Promise<void> {
  const isMoved = ({ plan, status }: MadeCall) =>
    status < 300 &&
    (plan.route === 'selectTenant' || plan.route === 'deleteTenant' || plan.route === 'createTenant');
  for (const { plan } of calls.filter(isMoved)) {
    const group = plan.caller === 'operator' ? 'A' : groupOf(plan.caller);
    if (group === undefined || plan.caller === 'nobody') continue;
    const { bearer } = world.people[plan.caller];
    const { system } = world.house;
    await ask(system, bearer, 'POST /api/tenant/select', { tenantId: world.tenantOf[group] });
  }
}
