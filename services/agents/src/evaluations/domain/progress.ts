import { evaluationChanged } from '@botyard/contracts/events/agents-evaluations';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import type { RunRow } from '../store/runs.ts';

/** Announces the state of a run, for those who watch it. */
export async function announce({ outbox }: Pick<Deps, 'outbox'>, tx: TenantTx, run: RunRow): Promise<void> {
  const { tenantId, runId, setId, state, done, total } = run;
  await outbox.emit(tx, evaluationChanged, { tenantId, runId, setId, state, done, total });
}
