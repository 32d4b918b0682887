import { withMoments } from '@botyard/contracts/http/common';
import type { Router } from '@botyard/contracts/http/contract';
import type { agentReleaseRoutes } from '@botyard/contracts/http/definitions-agent-releases';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import {
  promoteRelease,
  readRelease,
  readReleases,
  startRelease,
  withdrawRelease,
} from '../domain/releases.ts';
import { evidenceAgainst, evidenceToWithdraw, noEvidence } from '../domain/sequential-test.ts';
import type { WholeRelease } from '../store/releases.ts';

const toRelease = ({ changes, ...release }: WholeRelease) => ({
  ...withMoments(release),
  evidence: evidenceOf(release),
  changes: changes.map(withMoments),
});

const evidenceOf = ({ rules, progress }: Pick<WholeRelease, 'rules' | 'progress'>) =>
  rules.map((rule, index) => {
    const evidence = progress[index]?.evidence ?? noEvidence;
    const { candidate, live } = evidence;
    const withdrawsAt = evidenceToWithdraw(rules.length);
    return { ...rule, candidate, live, evidence: evidenceAgainst(evidence), withdrawsAt };
  });

const keyOf = (tenantId: string, { id, releaseId }: { id: string; releaseId: string }) => ({
  tenantId,
  agentId: id,
  releaseId,
});

/** The part of `/api/definitions` that is about releases of agents. Shadows are a module of their own. */
export const agentReleaseHandlers: Omit<
  Handlers<Router<typeof agentReleaseRoutes>, Deps>,
  'listShadowAnswers'
> = {
  listAgentReleases: async ({ tenantId, params: { id }, query }, deps) => {
    const { items, next } = await readReleases(deps, { tenantId, id }, query);
    return { items: items.map(toRelease), next };
  },

  startAgentRelease: async ({ tenantId, params: { id }, body, caller }, deps) =>
    toRelease(await startRelease(deps, { key: { tenantId, id }, by: caller.userId, body })),

  getAgentRelease: async ({ tenantId, params }, deps) =>
    toRelease(await readRelease(deps, keyOf(tenantId, params))),

  withdrawAgentRelease: async ({ tenantId, params, body, caller }, deps) =>
    toRelease(
      await withdrawRelease(deps, { key: keyOf(tenantId, params), by: caller.userId, reason: body.reason }),
    ),

  promoteAgentRelease: async ({ tenantId, params, body, caller }, deps) =>
    toRelease(await promoteRelease(deps, { key: keyOf(tenantId, params), by: caller.userId, ...body })),
};
