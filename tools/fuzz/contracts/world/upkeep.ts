import { ask } from '../../house/people.ts';
import type { MadeCall } from '../planned-call.ts';
import { groupOf } from './learn.ts';
import type { World } from './world.ts';

/** Somebody whose active tenant is deleted, or is another one now, acts in their first one again. */
export async function keepTenantsChosen(world: World, calls: readonly MadeCall[]): Promise<void> {
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
