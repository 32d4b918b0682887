import { withPlatform } from '@botyard/shared/db/database';
import { isContention } from '@botyard/shared/db/failures';
import { HttpError } from '@botyard/shared/http/errors';
import { failpoint } from '@botyard/shared/service/failpoint';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import { listTenantsToRestore } from '../store/images.ts';
import { listPendingTenants } from '../store/pending.ts';
import { asOnlyRunner, finishRun, getLiveRun, isRunOpen, type RunRow, saveRun } from '../store/runs.ts';
import { executeTenant } from './execute-tenant.ts';
import { policyNames } from './policy-texts.ts';
import { restoreTenant } from './restore-tenant.ts';

type Parts = Pick<Deps, 'database' | 'due' | 'outbox' | 'log'>;
type Pass = 'done' | 'failed' | 'stopped';

const pageSize = 100;

/**
 * Continues the migration's run, tenant by tenant, even if another instance started it. Only one instance runs at a
 * time, even after a crash. A tenant that fails doesn't block others, and is retried until it succeeds.
 */
export class PolicyMigrator implements Worker {
  readonly #parts: Parts;
  #running: Promise<void> | undefined;
  #isStopped = true;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.due.add({ name: 'policy migration', isDue: isRunOpen, wake: () => this.wake() });
  }

  start(): void {
    this.#isStopped = false;
    this.wake();
  }

  /** Stops after the current tenant. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Called when a run may have begun. */
  wake(): void {
    if (this.#isStopped) return;
    this.#running ??= this.#carryOn().finally(() => {
      this.#running = undefined;
    });
  }

  async #carryOn(): Promise<void> {
    const { database, log } = this.#parts;
    try {
      if (!(await this.#openRun())) return;
      await asOnlyRunner(database, async () => {
        for (let run = await this.#openRun(); run; run = await this.#openRun()) {
          const pass = await this.#pass(run);
          if (pass === 'failed' || this.#isStopped) return;
          const finished = run;
          if (pass === 'done')
            await withPlatform(database, 'migration done', (tx) => finishRun(tx, finished));
        }
      });
    } catch (error) {
      log.warn({ err: error }, 'the migration of authorization failed: it will be retried');
    }
  }

  async #openRun(): Promise<RunRow | undefined> {
    const run = await withPlatform(this.#parts.database, 'migration to carry on', getLiveRun);
    return run?.state === 'executed' ? undefined : run;
  }

  /** Processes every pending tenant once. */
  async #pass(run: RunRow): Promise<Pass> {
    const doTenant = run.state === 'executing' ? executeTenant : restoreTenant;
    let pass: Pass = 'done';
    for (let after: string | null = null; ; ) {
      const page: string[] = await this.#tenantsOf(run, after);
      for (const tenantId of page) {
        if (this.#isStopped) return 'stopped';
        const isOpen = await doTenant(this.#parts, run, tenantId).catch((error: unknown) => {
          pass = 'failed';
          return this.#remember(run, tenantId, error);
        });
        if (!isOpen) return 'stopped';
        await failpoint(
          `tenancy.policy-${run.state === 'executing' ? 'migration' : 'rollback'}.between-batches`,
        );
      }
      if (page.length < pageSize) return pass;
      after = page.at(-1) ?? null;
    }
  }

  #tenantsOf(run: RunRow, after: string | null): Promise<string[]> {
    const { migrationId } = run;
    const page = { after, limit: pageSize };
    return withPlatform(this.#parts.database, 'tenants to migrate', (tx) =>
      run.state === 'executing'
        ? listPendingTenants(tx, { migrationId, names: policyNames }, page)
        : listTenantsToRestore(tx, migrationId, page),
    );
  }

  /** Records the error for the status, without internal details. */
  async #remember({ migrationId }: RunRow, tenantId: string, error: unknown): Promise<true> {
    const { database, log } = this.#parts;
    log.warn({ err: error, tenantId }, 'could not migrate the authorization of a tenant: it will be retried');
    const reason = reasonOf(error);
    const lastError = `tenant ${tenantId}: ${reason}`;
    await withPlatform(database, 'migration failed', (tx) => saveRun(tx, migrationId, { lastError }));
    return true;
  }
}

function reasonOf(error: unknown): string {
  if (isContention(error)) return 'the tenant is busy';
  return error instanceof HttpError ? error.message : 'something went wrong on our side';
}
