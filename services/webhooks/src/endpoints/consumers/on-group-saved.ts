import type { groupSaved } from '@botyard/contracts/events/agents';
import type { Received } from '@botyard/shared/bus/consumer';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { announceEndpoint } from '../domain/announce-endpoint.ts';
import { saveGroupRule } from '../store/group-rules.ts';

/** Saves a group's rule, and makes every instance apply it to the group's messages. */
export async function onGroupSaved(
  tx: TenantTx,
  { data }: Received<typeof groupSaved>,
  deps: Deps,
): Promise<void> {
  if (await saveGroupRule(tx, data)) await announceEndpoint(deps, tx, data);
}
