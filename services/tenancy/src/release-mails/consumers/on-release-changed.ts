import type { releaseChanged } from '@botyard/contracts/events/agents-releases';
import type { DataOf } from '@botyard/contracts/events/definition';
import type { TenantTx } from '@botyard/shared/db/database';
import { insertReleaseMails } from '../store/release-mails.ts';

/** Stores a mail for each admin when a rule withdrew a release. Other changes cause no mail. */
export async function onReleaseChanged(
  tx: TenantTx,
  { data }: { data: DataOf<typeof releaseChanged> },
): Promise<void> {
  const { tenantId, releaseId, agentId, version, state, reason, withdrawnByRule } = data;
  if (state !== 'withdrawn' || !withdrawnByRule) return;
  const { agentName } = withdrawnByRule;
  await insertReleaseMails(tx, { tenantId, releaseId, agentId, agentName, version, reason: reason ?? '' });
}
