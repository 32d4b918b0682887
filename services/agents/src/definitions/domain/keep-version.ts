import type { DefinitionKind } from '@botyard/contracts/http/definitions-common';
import type { TenantTx } from '@botyard/shared/db/database';
import { insertAgentVersions, pruneAgentVersions } from '../store/agent-versions.ts';
import type { DefinitionRows } from '../store/definitions.ts';
import { partsOf, partsOfAll } from './agent-parts.ts';
import { type ChangedParts, keepVersionsUsing } from './keep-versions-using.ts';
import { type AboutVersion, changedFields, versionRow } from './version-row.ts';
import { contentOf } from './whole-version.ts';

type AgentRow = DefinitionRows['agent'];

/** A definition that was created or changed. */
interface Changed<Kind extends DefinitionKind> {
  before?: DefinitionRows[Kind] | undefined;
  after: DefinitionRows[Kind];
  /** The user who made the change. */
  by: string;
  about?: AboutVersion | undefined;
}

/**
 * Saves a version of an agent, or of each agent whose tool or capability was changed. The first change also saves the
 * previous state if no version of it exists, so that it can be restored.
 */
export async function keepVersion<Kind extends DefinitionKind>(
  tx: TenantTx,
  kind: Kind,
  { before, after, by, about }: Changed<Kind>,
): Promise<void> {
  if (kind === 'agent')
    await keepAgentVersion(tx, {
      before: before as AgentRow | undefined,
      after: after as AgentRow,
      by,
      about,
    });
  else if (before)
    await keepVersionsUsing(tx, { kind, before: [before], after: [after] } as ChangedParts, by);
}

async function keepAgentVersion(tx: TenantTx, { before, after, by, about }: Changed<'agent'>): Promise<void> {
  const [parts, earlierParts] = await partsOfAll(tx, before ? [after, before] : [after]);
  const earlier = before ? [versionRow(before, { parts: earlierParts!, createdBy: null })] : [];
  const changed = before ? changedFields(contentOf(before), contentOf(after)) : [];
  await insertAgentVersions(tx, [
    ...earlier,
    versionRow(after, { parts: parts!, createdBy: by, changed, about }),
  ]);
  await pruneAgentVersions(tx, after);
}

/** Saves the agent's current version with its parts, if it isn't, before its parts are changed. */
export async function keepCurrentVersion(tx: TenantTx, agent: AgentRow): Promise<void> {
  await insertAgentVersions(tx, [versionRow(agent, { parts: await partsOf(tx, agent), createdBy: null })]);
}
