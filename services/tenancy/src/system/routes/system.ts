import { withMoments } from '@botyard/contracts/http/common';
import type { systemRouter } from '@botyard/contracts/http/system';
import type { Handlers } from '@botyard/shared/http/mount';
import { readFigures } from '@botyard/shared/system/questions';
import type { Deps } from '../deps.ts';
import { askAll, byService } from '../domain/ask-all.ts';
import { listServices } from '../domain/inventory.ts';
import { searchLogs } from '../domain/logs.ts';
import { timesOf } from '../domain/performance.ts';
import { beginRestart, findRestart } from '../domain/restarts.ts';
import { summarizeSystem } from '../domain/summary.ts';
import { countersOf, queuesOf, totalOf } from '../domain/totals.ts';

const now = (): string => new Date().toISOString();

export const systemHandlers: Handlers<typeof systemRouter, Deps> = {
  getSystemSummary: (_input, deps) => summarizeSystem(deps),

  getSystemMetrics: async (_input, deps) => {
    const { replies, unanswered } = await askAll(deps, readFigures, {});
    return {
      at: now(),
      total: totalOf(replies.map(({ answer }) => answer.process)),
      services: byService(replies).map(([serviceName, answers]) => {
        const figures = answers.map(({ answer }) => answer);
        return {
          serviceName,
          total: totalOf(figures.map((one) => one.process)),
          instances: answers.map(({ instance, answer }) => ({
            instanceId: instance.instanceId,
            ...answer.process,
          })),
          counters: countersOf(figures),
          queues: queuesOf(figures),
        };
      }),
      unanswered,
    };
  },

  listSystemServices: async (_input, deps) => await listServices(deps),

  listSystemLogs: async ({ query }, deps) => await searchLogs(deps, query),

  getSystemPerformance: async (_input, deps) => {
    const { replies, unanswered } = await askAll(deps, readFigures, {});
    const each = replies.map(({ instance: { serviceName, instanceId }, answer }) => ({
      of: { serviceName, instanceId },
      answer,
    }));
    const routes = byService(replies).flatMap(([serviceName, answers]) =>
      timesOf(answers.map(({ answer }) => answer)).map((times) => ({ serviceName, ...times })),
    );
    return {
      at: now(),
      routes: routes.sort((left, right) => right.requests - left.requests).slice(0, 500),
      eventLoops: each.map(({ of, answer }) => ({ ...of, ...answer.eventLoop })),
      pools: each.flatMap(({ of, answer }) => answer.pools.map((pool) => ({ ...of, ...pool }))),
      buses: each.map(({ of, answer }) => ({ ...of, ...answer.bus })),
      unanswered,
    };
  },

  restartSystemService: async ({ params, caller }, deps) =>
    withMoments(await beginRestart(deps, params.serviceName, caller)),

  getSystemRestart: async ({ params }, deps) => withMoments(await findRestart(deps, params.serviceName)),
};
