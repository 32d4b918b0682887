import type { AccessEffect } from '@botyard/contracts/http/integrations-rules';
import type { TenantTx } from '@botyard/shared/db/database';
import { listGroups, listRules } from '../store/rules.ts';
import { getPlatformToolkits, getSettings } from '../store/settings.ts';
import { type AccessedCall, decideAccess } from './access.ts';

/** The decision on a call, with the reason for a refusal. */
interface Permission {
  effect: AccessEffect;
  /** The reason in words that a model may see. */
  reason: string | null;
}

/**
 * The reason why a toolkit is off. Considers only the platform's settings and the operator's settings for the tenant.
 */
export async function whyToolkitIsOff(
  tx: TenantTx,
  tenantId: string,
  toolkit: string,
): Promise<string | undefined> {
  const [platform, settings] = [await getPlatformToolkits(tx), await getSettings(tx, tenantId)];
  if (settings?.isEnabled === false) return 'external tools are switched off here';
  const isMissing = (toolkits: string[] | null | undefined) => toolkits?.includes(toolkit) === false;
  if (isMissing(platform?.toolkits) || isMissing(settings?.toolkits)) return 'this toolkit is not available';
  return undefined;
}

/** The current decision of switches and rules on a call. */
export async function permissionFor(tx: TenantTx, tenantId: string, call: AccessedCall): Promise<Permission> {
  const reason = await whyToolkitIsOff(tx, tenantId, call.toolkit);
  if (reason) return { effect: 'deny', reason };
  const [rules, groups] = [await listRules(tx, tenantId), await listGroups(tx, tenantId)];
  const members = new Map(groups.map((group) => [group.accessGroupId, group.members]));
  const effect = decideAccess(rules, members, call);
  return { effect, reason: effect === 'deny' ? 'the rules here do not allow it' : null };
}
