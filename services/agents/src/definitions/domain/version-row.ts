import { isDeepStrictEqual } from 'node:util';
import { AgentContent, type AgentParts } from '@botyard/contracts/http/definitions-agent-versions';
import type { AgentVersionRow } from '../store/agent-versions.ts';
import type { DefinitionRows } from '../store/definitions.ts';
import { bytesOf, wholeWith } from './whole-version.ts';

/** The origin of a version. */
export interface AboutVersion {
  restoredFrom?: number | undefined;
  note?: string | undefined;
  overrideReason?: string | undefined;
}

interface Origin {
  parts: AgentParts;
  /** `null` when unknown. */
  createdBy: string | null;
  changed?: Field[];
  about?: AboutVersion | undefined;
}

type Field = keyof AgentContent;

const fields = AgentContent.keyof().options;

export const changedFields = (before: AgentContent, after: AgentContent): Field[] =>
  fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));

/** An agent's row as a version of it. */
export function versionRow(
  row: DefinitionRows['agent'],
  { parts: currentParts, createdBy, changed = [], about = {} }: Origin,
): AgentVersionRow {
  const { version, content, parts, contentHash } = wholeWith(row, currentParts);
  return {
    tenantId: row.tenantId,
    agentId: row.id,
    version,
    content,
    parts,
    contentHash,
    changed,
    restoredFrom: about.restoredFrom ?? null,
    note: about.note ?? null,
    overrideReason: about.overrideReason ?? null,
    createdBy,
    bytes: bytesOf(content) + (parts ? bytesOf(parts) : 0),
    createdAt: row.updatedAt,
  };
}
