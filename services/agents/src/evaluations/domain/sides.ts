import type { RunBody } from '@botyard/contracts/http/evaluations-runs';
import type { TenantTx } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import {
  agentInVersion,
  getWholeVersion,
  type WholeVersion,
  wholeAgent,
} from '../../definitions/domain/whole-version.ts';
import { getAgentDraft } from '../../definitions/store/agent-drafts.ts';
import { type AgentAtWork, getAgentAtWork } from '../../definitions/store/agent-equipment.ts';
import type { RunSide } from '../../store/evaluations-schema.ts';

interface AgentKey {
  tenantId: string;
  id: string;
}

/** The candidate and the baseline of a run. @throws HttpError 404 for a version or a draft that isn't there. */
export async function readSides(
  tx: TenantTx,
  key: AgentKey,
  { version, draft, against }: Pick<RunBody, 'version' | 'draft' | 'against'>,
): Promise<{ candidate: RunSide; baseline: RunSide | null }> {
  const live = found(await getAgentAtWork(tx, key.tenantId, key.id), 'agent definition');
  const candidate = draft
    ? await readDraftSide(tx, live)
    : await readVersionSide(tx, key, version ?? live.version);
  const isLive = !draft && candidate.version === live.version;
  const baselineVersion = against ?? (isLive ? undefined : live.version);
  const baseline = baselineVersion === undefined ? null : await readVersionSide(tx, key, baselineVersion);
  return { candidate, baseline };
}

const sideOf = (whole: WholeVersion, isDraft: boolean): RunSide => ({
  version: whole.version,
  isDraft,
  content: whole.content,
  parts: whole.parts,
  contentHash: whole.contentHash,
});

const readVersionSide = async (tx: TenantTx, key: AgentKey, version: number): Promise<RunSide> =>
  sideOf(found(await getWholeVersion(tx, key, version), 'version'), false);

async function readDraftSide(tx: TenantTx, live: AgentAtWork): Promise<RunSide> {
  const { fields, base } = found(await getAgentDraft(tx, live), 'draft');
  const whole = await wholeAgent(tx, { ...live, ...fields });
  return { ...sideOf(whole, true), version: base };
}

/** The agent that answers for a side. @throws HttpError 404 when it was deleted. */
export async function agentOfSide(tx: TenantTx, key: AgentKey, side: RunSide): Promise<AgentAtWork> {
  const live = found(await getAgentAtWork(tx, key.tenantId, key.id), 'agent definition');
  return agentInVersion(live, side);
}
