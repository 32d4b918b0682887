import type { AccessEffect } from '@botyard/shared/contracts/integrations-rules';

/** What a rule looks at. */
export interface AccessedCall {
  /** Of everybody for whom the call is made: as people of a platform, and as users. */
  people: readonly { userIds: readonly string[] }[];
  botId: string;
  agentId: string;
  toolkit: string;
  tool: string;
}

/** A rule fits a call that fits all of its fields that are not `null`. */
export interface Rule {
  effect: AccessEffect;
  userId: string | null;
  userGroupId: string | null;
  botId: string | null;
  agentId: string | null;
  toolkit: string | null;
  tool: string | null;
  toolGroupId: string | null;
}

/** Members of a group: people, or tools (`TOOL_NAME`, `toolkit/*`). */
export type Groups = ReadonlyMap<string, readonly string[]>;

const strictness: readonly AccessEffect[] = ['deny', 'approval', 'allow'];

/**
 * What the rules say to a call: of those that fit, the strictest; without any, `deny`. A call that is made for several
 * people is decided for each of them, and the strictest answer counts. One that is made for nobody is denied.
 */
export function decideAccess(rules: readonly Rule[], groups: Groups, call: AccessedCall): AccessEffect {
  const fitting = rules.filter((rule) => fitsCall(rule, groups, call));
  const effects = call.people.map(({ userIds }) =>
    strictest(fitting.filter((rule) => fitsPerson(rule, groups, userIds)).map(({ effect }) => effect)),
  );
  return strictest(effects);
}

const strictest = (effects: readonly AccessEffect[]): AccessEffect =>
  strictness.find((effect) => effects.includes(effect)) ?? 'deny';

function fitsCall(rule: Rule, groups: Groups, { botId, agentId, toolkit, tool }: AccessedCall): boolean {
  const fits = (wanted: string | null, found: string) => wanted === null || wanted === found;
  if (!fits(rule.botId, botId) || !fits(rule.agentId, agentId)) return false;
  if (!fits(rule.toolkit, toolkit) || !fits(rule.tool, tool)) return false;
  if (rule.toolGroupId === null) return true;
  const members = groups.get(rule.toolGroupId) ?? [];
  return members.includes(tool) || members.includes(`${toolkit}/*`);
}

function fitsPerson(rule: Rule, groups: Groups, userIds: readonly string[]): boolean {
  if (rule.userId !== null && !userIds.includes(rule.userId)) return false;
  if (rule.userGroupId === null) return true;
  const members = groups.get(rule.userGroupId) ?? [];
  return userIds.some((userId) => members.includes(userId));
}
