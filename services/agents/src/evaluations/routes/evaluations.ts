import { withMoments } from '@botyard/contracts/http/common';
import type { evaluationsRouter } from '@botyard/contracts/http/evaluations';
import { pageOf, pageOfRows } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import type { Handlers } from '@botyard/shared/http/mount';
import { tenantItem, tenantRemoval } from '@botyard/shared/http/tenant-item';
import type { Deps } from '../deps.ts';
import { addCases, changeCase } from '../domain/cases.ts';
import { draftCase } from '../domain/drafts/draft-case.ts';
import { readCases } from '../domain/import-cases.ts';
import { readRun, readRuns } from '../domain/read-runs.ts';
import { markAnswer, readResult } from '../domain/results.ts';
import { createRun, stopRun } from '../domain/runs.ts';
import { changeSet, createSet, readSet } from '../domain/sets.ts';
import { deleteCase, getCase, listCases } from '../store/cases.ts';
import { getRun, listResults } from '../store/runs.ts';
import { deleteSet, getSet, listSets } from '../store/sets.ts';

export const evaluationsHandlers: Handlers<typeof evaluationsRouter, Deps> = {
  listEvaluationSets: tenantPage(listSets, withMoments, ({ setId }) => setId),

  createEvaluationSet: async ({ tenantId, body }, deps) => withMoments(await createSet(deps, tenantId, body)),

  getEvaluationSet: async ({ tenantId, params: { setId } }, deps) =>
    withMoments(await readSet(deps, { tenantId, setId })),

  updateEvaluationSet: async ({ tenantId, params: { setId }, body }, deps) =>
    withMoments(await changeSet(deps, { tenantId, setId }, body)),

  deleteEvaluationSet: tenantRemoval('set', deleteSet),

  listEvaluationCases: ({ tenantId, params: { setId }, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      found(await getSet(tx, { tenantId, setId }), 'set');
      const rows = await listCases(tx, { tenantId, setId }, query);
      return pageOf(rows, query, withMoments, ({ caseId }) => caseId);
    }),

  createEvaluationCase: async ({ tenantId, params: { setId }, body }, deps) =>
    withMoments((await addCases(deps, { tenantId, setId }, [body]))[0]!),

  importEvaluationCases: async ({ tenantId, params: { setId }, body }, deps) => {
    await readSet(deps, { tenantId, setId });
    const cases = await addCases(deps, { tenantId, setId }, await readCases(tenantId, body));
    return { caseIds: cases.map(({ caseId }) => caseId) };
  },

  getEvaluationCase: tenantItem('case', getCase, withMoments),

  updateEvaluationCase: async ({ tenantId, params: { setId, caseId }, body }, deps) =>
    withMoments(await changeCase(deps, { tenantId, setId, caseId }, body)),

  createEvaluationDraft: ({ tenantId, body }, deps) => draftCase(deps, tenantId, body),

  listEvaluationRuns: async ({ tenantId, query: { setId, ...page } }, deps) => {
    const { items, ...rest } = await readRuns(deps, { tenantId, setId }, page);
    return { ...rest, items: items.map(withMoments) };
  },

  createEvaluationRun: ({ tenantId, body, caller: { userId } }, deps) =>
    createRun(deps, { tenantId, userId, body }),

  getEvaluationRun: async ({ tenantId, params: { runId } }, deps) =>
    withMoments(await readRun(deps, { tenantId, runId })),

  stopEvaluationRun: ({ tenantId, params: { runId } }, deps) => stopRun(deps, { tenantId, runId }),

  listEvaluationResults: ({ tenantId, params: { runId }, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      found(await getRun(tx, { tenantId, runId }), 'run');
      const rows = await listResults(tx, { tenantId, runId }, query);
      return pageOfRows(rows, query, ({ caseId }) => caseId);
    }),

  getEvaluationResult: async ({ tenantId, params: { runId, caseId } }, deps) =>
    withMoments(await readResult(deps, { tenantId, runId, caseId })),

  markEvaluationResult: async ({ tenantId, params: { runId, caseId }, body }, deps) => {
    await markAnswer(deps, { tenantId, runId, caseId }, body);
    return withMoments(await readResult(deps, { tenantId, runId, caseId }));
  },

  deleteEvaluationCase: tenantRemoval('case', deleteCase),
};
