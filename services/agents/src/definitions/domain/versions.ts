import { UpdateAgentDefinitionBody } from '@botyard/contracts/http/definitions-agents';
import { type Page, type PageRequest, pageOf } from '@botyard/contracts/http/page';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { invalid } from '@botyard/shared/http/errors';
import { issuesOf } from '@botyard/shared/http/issues';
import type { Deps } from '../deps.ts';
import { type AgentVersionRow, getAgentVersion, listAgentVersions } from '../store/agent-versions.ts';
import type { DefinitionKey, DefinitionRows } from '../store/definitions.ts';
import type { Shown } from '../store/publications.ts';
import { partsOf } from './agent-parts.ts';
import { changing } from './changing.ts';
import { applyChange, requireDefinition, shown } from './definitions.ts';
import { keepCurrentVersion } from './keep-version.ts';
import { restoreParts } from './restore-parts.ts';
import { versionRow } from './version-row.ts';

/** Newest first, including the current version even if it was never saved. @throws HttpError 404. */
export async function listVersions(
  { database }: Pick<Deps, 'database'>,
  key: DefinitionKey,
  query: PageRequest & { until?: number | undefined },
): Promise<Page<AgentVersionRow & { isCurrent: boolean }>> {
  return await withTenant(database, [key.tenantId], async (tx) => {
    const agent = await requireDefinition(tx, 'agent', key);
    const { until = agent.version } = query;
    const before = query.before ?? (until < agent.version ? String(until + 1) : undefined);
    const kept = await listAgentVersions(tx, key, { ...query, before });
    const isMissing = before === undefined && kept[0]?.version !== agent.version;
    const rows = isMissing
      ? [versionRow(agent, { parts: await partsOf(tx, agent), createdBy: null }), ...kept]
      : kept;
    const toItem = (row: AgentVersionRow) => ({ ...row, isCurrent: row.version === agent.version });
    return pageOf(rows, query, toItem, ({ version }) => String(version));
  });
}

interface Restoration {
  key: DefinitionKey;
  version: number;
  by: string;
  /** Why it goes ahead in spite of the tests that the agent requires. */
  overrideReason?: string | undefined;
  /** Runs first, in the same transaction. */
  begin?: (tx: TenantTx) => Promise<void>;
}

/**
 * Creates a new version of an agent with the content of an earlier one, and with its tools and capabilities as they
 * were then if they are kept, unless everything is unchanged.
 * @throws HttpError 404, or as an update when something that the version refers to no longer exists, 409 when a part
 * can't be restored or its tests don't allow it.
 */
export async function restoreVersion(
  deps: Deps,
  { key, version, by, overrideReason, begin = async () => undefined }: Restoration,
): Promise<Shown<DefinitionRows['agent']>> {
  return await changing(deps, key.tenantId, async (tx) => {
    await begin(tx);
    const row = await requireDefinition(tx, 'agent', key);
    if (row.version === version) return await shown(tx, 'agent', row);
    const { content, parts } = found(await getAgentVersion(tx, key, version), 'version');
    // The old content may no longer be valid.
    const fields = UpdateAgentDefinitionBody.safeParse(content);
    if (!fields.success) throw invalid(issuesOf(fields.error, content));
    await keepCurrentVersion(tx, row);
    const { isChanged, ...references } = parts
      ? await restoreParts(tx, key, { content, parts })
      : { isChanged: false };
    return await applyChange(deps, tx, 'agent', {
      row,
      change: { ...fields.data, ...references },
      by,
      about: { restoredFrom: version, overrideReason },
      candidate: { version },
      arePartsChanged: isChanged,
    });
  });
}
