import type { ReleaseRule } from '@botyard/contracts/http/definitions-agent-releases';
import { outcomeWords } from '@botyard/contracts/outcome-words';
import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import { requireDefinition } from '../../definitions/domain/definitions.ts';
import { hasOutcome, minutesUntil } from '../../outcomes/domain/session-outcomes.ts';
import type { RuleEvidence, RuleProgress } from '../../store/releases-schema.ts';
import type { Deps } from '../deps.ts';
import { type FinishedSessionRow, listFinishedSessions } from '../store/finished-sessions.ts';
import {
  listRunningReleases,
  lockRelease,
  type ReleaseKey,
  type ReleaseRow,
  saveProgress,
  sinceLastStep,
} from '../store/releases.ts';
import { endLockedRelease, raiseLockedRelease } from './releases.ts';
import { addSession, noEvidence, withdraws } from './sequential-test.ts';

const everyMs = 10_000;
/** Sessions that a rule counts at a time. */
const batchSize = 500;
const hourMs = 3_600_000;

type WatchDeps = Pick<Deps, 'database' | 'log' | 'outbox'>;

/**
 * Compares the versions of running releases, withdraws a candidate that does worse, and takes the steps of the others.
 * Each release gets one batch at a time, so that none waits for the backlog of another one.
 */
export function createReleaseWatch(deps: WatchDeps): Worker {
  return createPeriodic({
    name: 'releases of agents',
    everyMs,
    log: deps.log,
    work: async (isStopped) => {
      for (const release of await withPlatform(deps.database, 'running releases', listRunningReleases)) {
        if (isStopped()) return;
        await compareVersions(deps, release).catch((error: unknown) =>
          deps.log.error({ err: error, ...release }, 'a release could not be compared'),
        );
      }
    },
  });
}

/** Counts finished sessions of a release, a batch for each rule. */
export async function compareVersions(deps: WatchDeps, key: ReleaseKey): Promise<void> {
  await withTenant(deps.database, [key.tenantId], async (tx) => {
    const release = await lockRelease(tx, key);
    if (release?.state !== 'running') return;
    const results: RuleResult[] = [];
    for (const [index, rule] of release.rules.entries()) {
      const progress = release.progress[index] ?? { after: null, evidence: noEvidence };
      results.push(await countSessions(tx, release, { rule, progress }));
    }
    await saveProgress(
      tx,
      release,
      results.map(({ progress }) => progress),
    );
    const reason = results.find((result) => result.reason)?.reason;
    if (reason === undefined) return await takeStep(deps, tx, release);
    const { name: agentName } = await requireDefinition(tx, 'agent', {
      tenantId: key.tenantId,
      id: release.agentId,
    });
    await endLockedRelease(deps, tx, release, {
      state: 'withdrawn',
      share: 0,
      by: null,
      reason,
      withdrawnByRule: { agentName },
    });
    deps.log.warn({ releaseId: key.releaseId, reason }, 'a candidate was withdrawn');
  });
}

/** Raises the share once enough sessions of the candidate have finished since the last step. */
async function takeStep(deps: WatchDeps, tx: TenantTx, release: ReleaseRow): Promise<void> {
  const next = release.steps.find(({ share }) => share > release.share);
  if (!next) return;
  const minutes = Math.max(...release.rules.map(({ outcome }) => minutesUntil[outcome]));
  const { sessions, hours } = await sinceLastStep(tx, release, minutes);
  if (sessions < next.minimumSessions || hours < next.minimumHours) return;
  await raiseLockedRelease(deps, tx, release, next.share);
  deps.log.info({ releaseId: release.releaseId, share: next.share }, 'a candidate gets a greater share');
}

interface RuleResult {
  progress: RuleProgress;
  /** Why the candidate is withdrawn. */
  reason?: string;
}

async function countSessions(
  tx: TenantTx,
  release: ReleaseRow,
  { rule, progress }: { rule: ReleaseRule; progress: RuleProgress },
): Promise<RuleResult> {
  const minutes = minutesUntil[rule.outcome];
  const sessions = await listFinishedSessions(tx, release, {
    after: progress.after,
    minutes,
    limit: batchSize,
  });
  let { after, evidence } = progress;
  for (const session of sessions) {
    evidence = addSession(evidence, toFinished(rule, session));
    after = { beganAt: session.beganAt.toISOString(), sessionId: session.sessionId };
    if (withdraws(evidence, release.rules.length))
      return { progress: { after, evidence }, reason: reasonOf(rule, evidence) };
  }
  return { progress: { after, evidence } };
}

const toFinished = ({ outcome, worse }: ReleaseRule, session: FinishedSessionRow) => ({
  isCandidate: session.isCandidate,
  isWorse: hasOutcome(outcome, session) === (worse === 'more'),
  hour: Math.floor(session.beganAt.getTime() / hourMs),
});

function reasonOf({ outcome, worse }: ReleaseRule, { candidate, live }: RuleEvidence): string {
  const countOf = (side: typeof live) => (worse === 'more' ? side.worse : side.sessions - side.worse);
  return (
    `${worse === 'more' ? 'more' : 'fewer'} chats ${outcomeWords[outcome].chats}: ${countOf(candidate)} of ` +
    `${candidate.sessions} with the candidate, and ${countOf(live)} of ${live.sessions} with the live version`
  );
}
