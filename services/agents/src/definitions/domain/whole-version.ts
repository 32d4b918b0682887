import { createHash } from 'node:crypto';
import {
  AgentContent,
  type AgentParts,
  maxBytesOfParts,
} from '@botyard/contracts/http/definitions-agent-versions';
import type { TenantTx } from '@botyard/shared/db/database';
import canonicalize from 'canonicalize';
import type { AgentAtWork } from '../store/agent-equipment.ts';
import { getAgentVersion } from '../store/agent-versions.ts';
import { type DefinitionKey, type DefinitionRows, getDefinition } from '../store/definitions.ts';
import { inOrder, partsOf } from './agent-parts.ts';

type AgentRow = DefinitionRows['agent'];

/** Everything that an agent is in one version. */
export interface WholeVersion {
  version: number;
  content: AgentContent;
  /** `null` if the version's tools and capabilities are not kept. */
  parts: AgentParts | null;
  /** The SHA-256 of content and parts, in hex; `null` without parts. */
  contentHash: string | null;
}

/** An agent in one of its versions; `undefined` without the agent or the version. */
export async function getWholeVersion(
  tx: TenantTx,
  key: DefinitionKey,
  version: number,
): Promise<WholeVersion | undefined> {
  const live = await getDefinition(tx, 'agent', key);
  if (live?.version === version) return await wholeAgent(tx, live);
  const stored = await getAgentVersion(tx, key, version);
  if (!stored) return undefined;
  const { content, parts, contentHash } = stored;
  return { version, content, parts, contentHash };
}

/** An agent as these fields say, with its tools and capabilities as they are now: also for a draft. */
export async function wholeAgent(tx: TenantTx, agent: AgentRow): Promise<WholeVersion> {
  return wholeWith(agent, await partsOf(tx, agent));
}

/** An agent with these parts. Parts above the limit are not kept. */
export function wholeWith(agent: AgentRow, parts: AgentParts): WholeVersion {
  const content = contentOf(agent);
  const { version } = agent;
  if (bytesOf(parts) > maxBytesOfParts) return { version, content, parts: null, contentHash: null };
  return { version, content, parts, contentHash: hashOf(content, parts) };
}

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const fields = AgentContent.keyof().options;

export const contentOf = (row: AgentRow): AgentContent =>
  Object.fromEntries(fields.map((field) => [field, row[field]])) as AgentContent;

/**
 * The SHA-256 of an agent's content in canonical form (RFC 8785), in hex. Tools and capabilities count by what they
 * are, not by their identifiers, so a tool that was deleted and created again is the same.
 */
export function hashOf(content: AgentContent, parts: AgentParts): string {
  const { toolIds, capabilityIds, ...rest } = content;
  const toolsOf = (ids: readonly string[]) => inOrder(parts.tools, ids).map(({ id, ...tool }) => tool);
  const capabilities = inOrder(parts.capabilities, capabilityIds).map(
    ({ id, toolIds: ids, ...capability }) => ({
      ...capability,
      tools: toolsOf(ids),
    }),
  );
  const text = canonicalize({ ...rest, tools: toolsOf(toolIds), capabilities }) ?? '';
  return createHash('sha256').update(text).digest('hex');
}

/**
 * The agent as it answers in one of its versions, with that version's tools. A version whose tools are not kept has
 * those of `live`, as far as it refers to them.
 */
export function agentInVersion(live: AgentAtWork, { version, content, parts }: WholeVersion): AgentAtWork {
  const { tools, capabilities } = parts ?? live.equipment ?? { tools: [], capabilities: [] };
  const isEquipped = tools.length > 0 || capabilities.length > 0;
  return { ...live, ...content, version, equipment: isEquipped ? { tools, capabilities } : null };
}
