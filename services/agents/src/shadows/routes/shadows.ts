import { withMoments } from '@botyard/contracts/http/common';
import type { Router } from '@botyard/contracts/http/contract';
import type { agentReleaseRoutes } from '@botyard/contracts/http/definitions-agent-releases';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { readShadowAnswers } from '../domain/shadow-answers.ts';
import type { ListedShadow } from '../store/shadow-answers.ts';

const toShadowAnswer = ({ text, question, liveText, verdict, ...row }: ListedShadow) => ({
  ...withMoments(row),
  verdict: verdict!,
  question: question ?? '',
  liveText: liveText ?? '',
  candidateText: text,
});

/** The part of `/api/definitions` that is about answers of candidates beside the live version. */
export const shadowHandlers: Pick<Handlers<Router<typeof agentReleaseRoutes>, Deps>, 'listShadowAnswers'> = {
  listShadowAnswers: async ({ tenantId, params: { id, releaseId }, query }, deps) => {
    const key = { tenantId, agentId: id, releaseId };
    const { items, next } = await readShadowAnswers(deps, key, query);
    return { items: items.map(toShadowAnswer), next };
  },
};
