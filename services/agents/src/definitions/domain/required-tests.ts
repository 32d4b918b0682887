import { maxBytesOfParts } from '@botyard/contracts/http/definitions-agent-versions';
import type { TenantTx } from '@botyard/shared/db/database';
import { conflict, type Issue } from '@botyard/shared/http/errors';
import type { Deps } from '../deps.ts';
import { getAgentVersion } from '../store/agent-versions.ts';
import type { DefinitionRows } from '../store/definitions.ts';
import {
  type FailingCase,
  findFinishedRun,
  listFailingCases,
  listRequiredSets,
  type RequiredSet,
} from '../store/required-tests.ts';
import { wholeAgent } from './whole-version.ts';

type AgentRow = DefinitionRows['agent'];

/** The candidate of a run of the tests, as its body names it. */
export type TestedCandidate = { draft: true } | { version: number };

interface Change {
  /** The live agent before the change, and as it would be. The same for one that is published. */
  before: AgentRow;
  after: AgentRow;
  by: string;
  /** Which candidate has to be tested; left out for the live version. */
  candidate?: TestedCandidate | undefined;
  overrideReason?: string | undefined;
}

const maxIssues = 50;
const maxFaultUnits = 200;

/**
 * Has a change of an agent wait for the tests that it requires: of each required set, the newest finished run of
 * exactly this content must show no regression against what is live. Called under the tenant's lock of definitions, in
 * the transaction of the change. A reason overrides it, which is audited.
 * @throws HttpError 409 with the failing cases.
 */
export async function requireTests(
  { log }: Pick<Deps, 'log'>,
  tx: TenantTx,
  { before, after, by, candidate, overrideReason }: Change,
): Promise<void> {
  const sets = await listRequiredSets(tx, after);
  if (sets.length === 0) return;
  const { contentHash } = await wholeAgent(tx, after);
  const isPublished = before === after;
  const liveHash = isPublished ? null : await liveHashOf(tx, before);
  if (contentHash !== null && contentHash === liveHash) return;
  const issues: Issue[] = [];
  for (const set of sets) {
    const left = maxIssues - issues.length;
    if (left > 0) issues.push(...(await issuesOf(tx, set, { contentHash, liveHash, candidate, left })));
  }
  if (issues.length === 0) return;
  if (overrideReason === undefined)
    throw conflict('the tests that this agent requires do not allow it: see the issues', { issues });
  const { tenantId, id: agentId, version } = after;
  const audited = { tenantId, agentId, version, by, reason: overrideReason };
  tx.afterCommit(() => log.info({ audit: 'required tests were overridden', ...audited }, 'audit'));
}

/** The stored hash counts: a restoration has changed the agent's tools before. */
async function liveHashOf(tx: TenantTx, live: AgentRow): Promise<string | null> {
  const stored = await getAgentVersion(tx, live, live.version);
  return stored?.contentHash ?? (await wholeAgent(tx, live)).contentHash;
}

interface Tested {
  contentHash: string | null;
  /** `null`: the content is live, so whatever it was compared with counts. */
  liveHash: string | null;
  candidate: TestedCandidate | undefined;
  left: number;
}

async function issuesOf(
  tx: TenantTx,
  set: RequiredSet,
  { contentHash, liveHash, candidate, left }: Tested,
): Promise<Issue[]> {
  const path = `sets/${set.setId}`;
  const name = `the set "${set.name}"`;
  if (contentHash === null) {
    const kib = maxBytesOfParts / 1024;
    return [{ path, message: `${name} can't be compared: the tools of the agent exceed ${kib} KiB` }];
  }
  const run = await findFinishedRun(tx, set, contentHash);
  const howToRun =
    `${candidate && 'draft' in candidate ? 'save it as the draft, and ' : ''}run the tests: ` +
    `POST /api/evaluations/runs ${JSON.stringify({ setId: set.setId, ...candidate })}`;
  if (!run) return [{ path, message: `${name} has no finished run of this content: ${howToRun}` }];
  const isCompared = liveHash === null || run.baselineHash === liveHash;
  const failing = await listFailingCases(tx, set, { runId: run.runId, isCompared, limit: left });
  return failing.map((one) => ({
    path: `cases/${one.caseId}`,
    message: `${one.name}: ${reasonOf(one, howToRun)}`,
  }));
}

function reasonOf({ isCurrent, isUndecided, verdict, fault }: FailingCase, howToRun: string): string {
  if (!isCurrent) return `it was added or changed since the run; ${howToRun}`;
  if (isUndecided) return `the judge gave no verdict; ${howToRun}`;
  const cause = fault === null ? '' : `, ${fault.slice(0, maxFaultUnits).toWellFormed()}`;
  if (verdict === 'worse') return `worse than what it was compared with${cause}`;
  if (verdict === null) return `failed${cause}`;
  return `failed${cause}; another version has gone live since it was compared, so ${howToRun}`;
}
