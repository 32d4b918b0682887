import { isDeepStrictEqual } from 'node:util';
import { AgentContent } from '@botyard/contracts/http/definitions-agent-versions';
import type { DefinitionKind } from '@botyard/contracts/http/definitions-common';
import type { TenantTx } from '@botyard/shared/db/database';
import { type AgentVersionRow, insertAgentVersions, pruneAgentVersions } from '../store/agent-versions.ts';
import type { DefinitionRows } from '../store/definitions.ts';

type AgentRow = DefinitionRows['agent'];

/** A definition that was created or changed. */
interface Changed<Kind extends DefinitionKind> {
  before?: DefinitionRows[Kind];
  after: DefinitionRows[Kind];
  /** The user who made the change. */
  by: string;
  about?: AboutVersion | undefined;
}

/** The origin of a version. */
export interface AboutVersion {
  restoredFrom?: number | undefined;
  note?: string | undefined;
  overrideReason?: string | undefined;
}

/**
 * Saves a version of an agent; other kinds have none. The first change also saves the previous state if no version of
 * it exists, so that it can be restored.
 */
export async function keepVersion<Kind extends DefinitionKind>(
  tx: TenantTx,
  kind: Kind,
  { before, after, by, about }: Changed<Kind>,
): Promise<void> {
  if (kind !== 'agent') return;
  const [was, is] = [before as AgentRow | undefined, after as AgentRow];
  const earlier = was ? [versionRow(was, { createdBy: null })] : [];
  const changed = was ? changedFields(contentOf(was), contentOf(is)) : [];
  await insertAgentVersions(tx, [...earlier, versionRow(is, { createdBy: by, changed, about })]);
  await pruneAgentVersions(tx, is);
}

type Fields = keyof AgentContent;
const fields = AgentContent.keyof().options;

export const contentOf = (row: AgentRow): AgentContent =>
  Object.fromEntries(fields.map((field) => [field, row[field]])) as AgentContent;

export const changedFields = (before: AgentContent, after: AgentContent): Fields[] =>
  fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));

/** An agent's row as a version of it. */
export function versionRow(
  row: AgentRow,
  {
    createdBy,
    changed = [],
    about = {},
  }: { createdBy: string | null; changed?: Fields[]; about?: AboutVersion | undefined },
): AgentVersionRow {
  const content = contentOf(row);
  return {
    tenantId: row.tenantId,
    agentId: row.id,
    version: row.version,
    content,
    changed,
    restoredFrom: about.restoredFrom ?? null,
    note: about.note ?? null,
    overrideReason: about.overrideReason ?? null,
    createdBy,
    bytes: Buffer.byteLength(JSON.stringify(content)),
    createdAt: row.updatedAt,
  };
}
