import { notFound } from '@botyard/shared/http/errors';
import { type LogQuery, readLog } from '@botyard/shared/system/questions';
import { serviceNames } from '@botyard/shared/system/subjects';
import type { Deps } from '../deps.ts';
import { askAll } from './ask-all.ts';

interface Search {
  service?: string | undefined;
  level: LogQuery['level'];
  since?: string | undefined;
  before?: string | undefined;
  text?: string | undefined;
  limit: number;
}

/** Recent log lines of all processes, newest first. @throws HttpError 404 for an unknown service, 503. */
export async function searchLogs(deps: Pick<Deps, 'bus'>, { service, ...search }: Search) {
  const services = serviceNames.filter((name) => service === undefined || name === service);
  if (services.length === 0) throw notFound('service');
  const query = {
    ...search,
    // Times are compared as text, so they need one format.
    ...(search.since ? { since: new Date(search.since).toISOString() } : {}),
    ...(search.before ? { before: new Date(search.before).toISOString() } : {}),
  };
  const { replies } = await askAll(deps, readLog, query, services);
  return replies
    .flatMap(({ instance: { serviceName, instanceId }, answer }) =>
      answer.map((line) => ({ ...line, serviceName, instanceId })),
    )
    .sort((left, right) => (left.at < right.at ? 1 : left.at > right.at ? -1 : 0))
    .slice(0, search.limit);
}
