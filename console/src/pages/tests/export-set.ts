import type { Schema } from '@botyard/client/client';
import { api } from '../../api/api.ts';
import { yamlOf } from './yaml.ts';

const readsAtOnce = 8;

/** A set in the form of a file of the command line. Agents are named by their identifiers. */
export async function exportSet(set: Schema<'EvaluationSet'>): Promise<Blob> {
  const { setId, name, agentId, documents, mayUsePlatformKey, required, judge } = set;
  const cases = await readCases(setId);
  const settings = { name, agent: agentId, documents, mayUsePlatformKey, required };
  const content = { ...settings, ...(judge ? { judge } : {}), cases };
  return new Blob([yamlOf(content)], { type: 'application/yaml' });
}

/** In the order in which they were made. */
async function readCases(setId: string): Promise<object[]> {
  const ids: string[] = [];
  for (let before: string | undefined; ; ) {
    const page = await api.page('/api/evaluations/sets/{setId}/cases', {
      params: { path: { setId }, query: before === undefined ? { limit: 100 } : { limit: 100, before } },
    });
    ids.push(...page.items.map(({ caseId }) => caseId));
    if (page.next === null) break;
    before = page.next;
  }
  ids.reverse();
  const cases: object[] = [];
  for (let begin = 0; begin < ids.length; begin += readsAtOnce) {
    const part = ids.slice(begin, begin + readsAtOnce);
    cases.push(...(await Promise.all(part.map((caseId) => readCase(setId, caseId)))));
  }
  return cases;
}

async function readCase(setId: string, caseId: string): Promise<object> {
  const one = await api.get('/api/evaluations/sets/{setId}/cases/{caseId}', {
    params: { path: { setId, caseId } },
  });
  const { name, messages, recording, assertions, sourceMessageIds } = one;
  const written = assertions.map((assertion) =>
    assertion.type === 'agent'
      ? { type: assertion.type, agent: assertion.agentId, among: assertion.among }
      : assertion,
  );
  const content = { name, messages, recording, assertions: written };
  return sourceMessageIds.length > 0 ? { ...content, sourceMessageIds } : content;
}
