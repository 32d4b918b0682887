import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { alias, and, desc, eq, getTableColumns, lt } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { translated } from '@botyard/shared/db/rows';
import { columns } from '@botyard/shared/db/typed-sql';
import { conflict } from '@botyard/shared/http/errors';
import type { QueueTable } from '@botyard/shared/work/leased-queue/queue-table';
import { archiveJobs } from '../../store/archive-schema.ts';
import { conversationOf } from '../../store/conversation-of.ts';
import { conversations } from '../../store/schema.ts';

export type JobRow = typeof archiveJobs.$inferSelect;
type JobKey = Pick<JobRow, 'tenantId' | 'jobId'>;
/** A job with its conversation's identifier in the API, the chat. */
export interface JobWithChat {
  job: JobRow;
  chatId: string | null;
}

const maxFinished = 500;

/** @throws HttpError 409 while another job of this kind is active in the tenant. */
export async function insertJob(
  tx: TenantTx,
  job: Pick<JobRow, 'tenantId' | 'jobId' | 'kind' | 'botId' | 'conversationId' | 'before' | 'createdBy'>,
): Promise<void> {
  await translated(tx.db.insert(archiveJobs).values({ ...job, state: 'queued' }), {
    archive_jobs_one_of_a_kind: (cause) =>
      conflict('a job of this kind runs already: wait until it is done, or cancel it', {
        cause,
      }),
  });
  await tx.query({
    name: 'agents.archive_jobs.forget',
    text: `delete from agents.archive_jobs where tenant_id = $1 and state in ('done', 'failed', 'cancelled')
             and job_id < (select job_id from agents.archive_jobs where tenant_id = $1
               and state in ('done', 'failed', 'cancelled') order by job_id desc offset ${maxFinished} limit 1)`,
    values: [job.tenantId],
  });
}

const withChat = (tx: TenantTx) =>
  tx.db
    .select({ job: archiveJobs, chatId: conversations.chatId })
    .from(archiveJobs)
    .leftJoin(conversations, conversationOf(archiveJobs));

export async function getJob(tx: TenantTx, { tenantId, jobId }: JobKey): Promise<JobWithChat | undefined> {
  const [row] = await withChat(tx).where(
    and(eq(archiveJobs.tenantId, tenantId), eq(archiveJobs.jobId, jobId)),
  );
  return row;
}

/** Newest first, one more than the page's limit. */
export async function listJobs(
  tx: TenantTx,
  tenantId: string,
  query: PageRequest & { kind?: JobRow['kind'] | undefined; state?: JobRow['state'] | undefined },
): Promise<JobWithChat[]> {
  return await withChat(tx)
    .where(
      and(
        eq(archiveJobs.tenantId, tenantId),
        query.kind ? eq(archiveJobs.kind, query.kind) : undefined,
        query.state ? eq(archiveJobs.state, query.state) : undefined,
        query.before ? lt(archiveJobs.jobId, query.before) : undefined,
      ),
    )
    .orderBy(desc(archiveJobs.jobId))
    .limit(query.limit + 1);
}

/** Returns `false` when the job had already ended. Its worker notices the cancellation by the fence. */
export const cancelJob = preparedStatement({
  name: 'agents.archive_jobs.cancel',
  text: `update agents.archive_jobs set state = 'cancelled', fence = fence + 1, lease_until = null, finished_at = now()
         where tenant_id = $1 and job_id = $2 and state in ('queued', 'running') returning 1`,
  values: ({ tenantId, jobId }: JobKey) => [tenantId, jobId],
  result: (rows) => rows.length > 0,
});

export const jobQueue: QueueTable<JobRow> = {
  table: 'agents.archive_jobs',
  key: ['tenantId', 'jobId'],
  columns: columns(getTableColumns(alias(archiveJobs, 'q'))),
  isOfQueue: "q.state in ('queued', 'running')",
  leaseSeconds: 30,
  fence: 'fence',
  set: "state = 'running', attempts = q.attempts + 1",
};

/** The results of a batch. */
interface Step {
  cursor?: string;
  messages?: number;
  files?: number;
  bytes?: number;
  total?: number | null;
  faults?: JobRow['faults'];
}

/**
 * Locks the job and adds the results. Returns `false` when it was cancelled or its claim was lost.
 */
export const stepJob = preparedStatement({
  name: 'agents.archive_jobs.step',
  text: `update agents.archive_jobs set cursor = coalesce($cursor, cursor), messages_done = messages_done + $messages, files_done = files_done + $files,
           bytes_done = bytes_done + $bytes, messages_total = coalesce($total, messages_total),
           faults = case when jsonb_array_length(faults) < 100 then faults || $faults::jsonb else faults end,
           attempts = case when $cursor::uuid is null then attempts else 1 end
         where tenant_id = $tenantId and job_id = $jobId and fence = $fence and state = 'running' returning 1`,
  values: (job: JobRow, step: Step = {}) => ({
    tenantId: job.tenantId,
    jobId: job.jobId,
    fence: job.fence,
    cursor: step.cursor ?? null,
    messages: step.messages ?? 0,
    files: step.files ?? 0,
    bytes: step.bytes ?? 0,
    total: step.total ?? null,
    faults: JSON.stringify(step.faults ?? []),
  }),
  result: (rows) => rows.length > 0,
});

export const endJob = preparedStatement({
  name: 'agents.archive_jobs.end',
  text: `update agents.archive_jobs set state = $state, lease_until = null, last_error = $lastError,
           finished_at = case when $state = 'running' then null else now() end,
           ready_at = now() + make_interval(secs => $retryInMs::float8 / 1000)
         where tenant_id = $tenantId and job_id = $jobId and fence = $fence and state = 'running'`,
  values: (
    job: JobRow,
    end: { state: 'done' | 'failed'; lastError?: string } | { retryInMs: number; lastError: string },
  ) => {
    const isOver = 'state' in end;
    return {
      tenantId: job.tenantId,
      jobId: job.jobId,
      fence: job.fence,
      lastError: end.lastError ?? null,
      state: isOver ? end.state : 'running',
      retryInMs: isOver ? 0 : end.retryInMs,
    };
  },
});
