import type { AccessEffect } from '@botyard/contracts/http/integrations-rules';
import { serverOfToolkit } from '@botyard/contracts/http/tools';

/** A person for whom a call is made: their identities on platforms, and as users. */
export interface Requester {
  userIds: readonly string[];
  /** Whether it is proven that they wrote the answered message. */
  isProven: boolean;
}

/** The facts that rules examine. */
export interface AccessedCall {
  people: readonly Requester[];
  botId: string;
  agentId: string;
  toolkit: string;
  tool: string;
}

/** Matches a call that fits all fields that are not `null`. */
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

/** Members of a group: people, or tools (`TOOL_NAME`, `toolkit/*`, `mcp-ID/name`). */
type Groups = ReadonlyMap<string, readonly string[]>;

const strictness: readonly AccessEffect[] = ['deny', 'approval', 'allow'];

/**
 * Decides a call by its rules: the strictest matching rule applies, or `deny` if none matches. For several people, the
 * call is decided for each of them, and the strictest decision applies. A call without a person is denied.
 *
 * Rules that name a person can't allow anything to a person whose identity isn't proven: without a rule for everybody
 * the decision is `deny`.
 */
export function decideAccess(rules: readonly Rule[], groups: Groups, call: AccessedCall): AccessEffect {
  const fitting = rules.filter((rule) => fitsCall(rule, groups, call));
  return strictest(call.people.map((person) => effectFor(person, fitting, groups)));
}

function effectFor({ userIds, isProven }: Requester, rules: readonly Rule[], groups: Groups): AccessEffect {
  const theirs = rules.filter((rule) => fitsPerson(rule, groups, userIds));
  if (!isProven && theirs.every(namesPerson)) return 'deny';
  return strictest(theirs.map(({ effect }) => effect));
}

const namesPerson = ({ userId, userGroupId }: Rule): boolean => userId !== null || userGroupId !== null;

const strictest = (effects: readonly AccessEffect[]): AccessEffect =>
  strictness.find((effect) => effects.includes(effect)) ?? 'deny';

function fitsCall(rule: Rule, groups: Groups, { botId, agentId, toolkit, tool }: AccessedCall): boolean {
  const fits = (wanted: string | null, found: string) => wanted === null || wanted === found;
  if (!fits(rule.botId, botId) || !fits(rule.agentId, agentId)) return false;
  const isOfServer = serverOfToolkit(toolkit) !== undefined;
  const ruleTool = isOfServer ? rule.tool : (rule.tool?.toUpperCase() ?? null);
  if (!fits(rule.toolkit, toolkit) || !fits(ruleTool, tool)) return false;
  if (rule.toolGroupId === null) return true;
  const members = groups.get(rule.toolGroupId) ?? [];
  const member = isOfServer ? `${toolkit}/${tool}` : tool;
  return members.includes(member) || members.includes(`${toolkit}/*`);
}

function fitsPerson(rule: Rule, groups: Groups, userIds: readonly string[]): boolean {
  if (rule.userId !== null && !userIds.includes(rule.userId)) return false;
  if (rule.userGroupId === null) return true;
  const members = groups.get(rule.userGroupId) ?? [];
  return userIds.some((userId) => members.includes(userId));
}
