import {
  maxAccessGroups,
  maxAccessRules,
  type PutAccessGroupBody,
  type PutAccessRuleBody,
} from '@botyard/contracts/http/integrations-rules';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { conflict, invalid, notFound } from '@botyard/shared/http/errors';
import { requireBot } from '../../conversations/domain/known-bot.ts';
import { holdAgentDefinition } from '../../definitions/store/agent-definitions.ts';
import type { Deps } from '../deps.ts';
import {
  countRules,
  deleteGroup,
  deleteRules as deleteRows,
  type GroupRow,
  isGroupInRules,
  listGroups,
  lockRules,
  type RuleRow,
  upsertGroup,
  upsertRule,
} from '../store/rules.ts';

type RuleDeps = Pick<Deps, 'database' | 'log'>;

/**
 * Sets the rule for a kind of calls. It applies to every later call. @throws HttpError 404 for a bot or an agent that
 * isn't the tenant's, 400 for such a group, 409, 503.
 */
export async function putRule(
  { bus, database, log }: RuleDeps & Pick<Deps, 'bus'>,
  { tenantId, userId: createdBy }: { tenantId: string; userId: string },
  body: PutAccessRuleBody,
): Promise<RuleRow> {
  if (body.botId) await requireBot({ bus, database }, tenantId, body.botId);
  return await withTenant(database, [tenantId], async (tx) => {
    await lockRules(tx, tenantId);
    if (body.agentId && !(await holdAgentDefinition(tx, tenantId, body.agentId))) throw notFound('agent');
    await requireGroups(tx, tenantId, body);
    const row = await upsertRule(tx, { ...body, tenantId, createdBy });
    if ((await countRules(tx, tenantId)) > maxAccessRules)
      throw conflict(`a tenant has ${maxAccessRules} access rules at most: delete some first`);
    tx.afterCommit(() => log.info({ audit: 'access rule', ruleId: row.ruleId, effect: row.effect }, 'audit'));
    return row;
  });
}

/**
 * Rejects missing groups and groups of the other kind. They match no person, so a rule that denies with one would have
 * no effect.
 */
async function requireGroups(
  tx: TenantTx,
  tenantId: string,
  { userGroupId, toolGroupId }: PutAccessRuleBody,
): Promise<void> {
  const groups = await listGroups(tx, tenantId);
  const isMissing = (wanted: string | null, kind: GroupRow['kind']) =>
    wanted !== null && !groups.some((group) => group.accessGroupId === wanted && group.kind === kind);
  const issues = [
    ...(isMissing(userGroupId, 'users') ? ['userGroupId'] : []),
    ...(isMissing(toolGroupId, 'tools') ? ['toolGroupId'] : []),
  ].map((field) => ({ path: [field], message: 'is not a group of this kind in this tenant' }));
  if (issues.length > 0) throw invalid(issues);
}

/** Deletes one rule, or all of them. @throws HttpError 404 for an unknown rule. */
export async function deleteRules(
  { database, log }: RuleDeps,
  tenantId: string,
  ruleId: string | undefined,
): Promise<void> {
  const deleted = await withTenant(database, [tenantId], async (tx) => {
    await lockRules(tx, tenantId);
    return await deleteRows(tx, tenantId, ruleId);
  });
  if (ruleId && deleted === 0) throw notFound('rule');
  log.info({ audit: 'access rules deleted', deleted }, 'audit');
}

/**
 * Sets a group by its name. @throws HttpError 409 when the limit is reached, or for the name of a group of the other
 * kind.
 */
export async function putGroup(
  { database }: RuleDeps,
  tenantId: string,
  { name, kind, members }: PutAccessGroupBody,
): Promise<GroupRow> {
  return await withTenant(database, [tenantId], async (tx) => {
    await lockRules(tx, tenantId);
    const spelled = members.map((member) => (kind === 'users' ? member.toLowerCase() : member.trim()));
    const group = await upsertGroup(tx, { tenantId, name, kind, members: [...new Set(spelled)] });
    if ((await listGroups(tx, tenantId)).length > maxAccessGroups)
      throw conflict(`a tenant has ${maxAccessGroups} groups at most: delete some first`);
    return group;
  });
}

/** @throws HttpError 404, 409 while a rule refers to it. */
export async function removeGroup(
  { database }: RuleDeps,
  key: Pick<GroupRow, 'tenantId' | 'accessGroupId'>,
): Promise<void> {
  await withTenant(database, [key.tenantId], async (tx) => {
    await lockRules(tx, key.tenantId);
    if (await isGroupInRules(tx, key)) throw conflict('a rule refers to this group: delete the rule first');
    if (!(await deleteGroup(tx, key))) throw notFound('group');
  });
}
