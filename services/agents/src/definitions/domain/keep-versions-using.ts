import { isDeepStrictEqual } from 'node:util';
import type { TenantTx } from '@botyard/shared/db/database';
import { insertAgentVersions, pruneAgentVersions } from '../store/agent-versions.ts';
import type { DefinitionRows } from '../store/definitions.ts';
import { raiseVersionsUsing } from '../store/part-uses.ts';
import { capabilityContent, partsOfAll, toolContent } from './agent-parts.ts';
import { versionRow } from './version-row.ts';

/** Tools or capabilities of one tenant before and after a change, in the same order. */
export type ChangedParts =
  | { kind: 'tool'; before: readonly DefinitionRows['tool'][]; after: readonly DefinitionRows['tool'][] }
  | {
      kind: 'capability';
      before: readonly DefinitionRows['capability'][];
      after: readonly DefinitionRows['capability'][];
    };

/** Bounds the memory that versions of many agents need at once. */
const agentsAtOnce = 20;

/**
 * Saves a version of each agent that has one of the changed parts, so that no version is two things. The previous
 * version is saved with its parts if it isn't.
 */
export async function keepVersionsUsing(tx: TenantTx, changed: ChangedParts, by: string): Promise<void> {
  const before = differing(changed);
  const [first] = [...before.tools, ...before.capabilities];
  if (!first) return;
  const { tenantId } = changed.after[0]!;
  const ids = [...before.tools, ...before.capabilities].map(({ id }) => id);
  const agents = await raiseVersionsUsing(tx, tenantId, { kind: changed.kind, ids });
  for (let at = 0; at < agents.length; at += agentsAtOnce) {
    const some = agents.slice(at, at + agentsAtOnce);
    const parts = await partsOfAll(tx, some);
    const earlierParts = await partsOfAll(tx, some, before);
    const rows = some.flatMap((agent, index) => [
      versionRow({ ...agent, version: agent.version - 1 }, { parts: earlierParts[index]!, createdBy: null }),
      versionRow(agent, { parts: parts[index]!, createdBy: by }),
    ]);
    await insertAgentVersions(tx, rows);
    for (const agent of some) await pruneAgentVersions(tx, agent);
  }
}

/** The parts that differ after the change, as they were before it. */
function differing(changed: ChangedParts) {
  if (changed.kind === 'tool') {
    const tools = changed.before.filter(
      (tool, index) => !isDeepStrictEqual(toolContent(tool), toolContent(changed.after[index]!)),
    );
    return { tools, capabilities: [] };
  }
  const capabilities = changed.before.filter(
    (capability, index) =>
      !isDeepStrictEqual(capabilityContent(capability), capabilityContent(changed.after[index]!)),
  );
  return { tools: [], capabilities };
}
