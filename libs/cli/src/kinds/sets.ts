import type { Client } from '@botyard/client/client';
import { CliError } from '../cli-error.ts';
import { areEqual } from '../folder/canonical.ts';
import { all, type Content, type Kind, pickFields } from './kind.ts';
import type { Names } from './names.ts';

const casePath = '/api/evaluations/sets/{setId}/cases/{caseId}';
const caseFields = ['name', 'messages', 'recording', 'assertions', 'sourceMessageIds'];
/** Cases that are read at a time. */
const readsAtOnce = 8;

/** Test sets with their cases. */
export const sets: Kind = {
  name: 'tests',
  required: ['name', 'agent'],
  defaults: { documents: 'recorded', mayUsePlatformKey: false, required: false, judge: null, cases: [] },
  list: async (api) =>
    (await all(api.list('/api/evaluations/sets'))).map((set) => ({
      id: set.setId,
      title: set.name,
      content: async (names) => {
        const { setId, agentId } = set;
        const cases = await readCases(api, setId);
        return {
          ...pickFields(set, ['name', 'documents', 'mayUsePlatformKey', 'required', 'judge']),
          agent: names.slugOrId('agents', agentId),
          cases: cases.map(({ content: one }) => withNames(names, one)),
        };
      },
    })),
  create: async (api, names, { cases, agent, ...settings }) => {
    const body = { ...settings, agentId: names.id('agents', agent) } as never;
    const { setId } = await api.post('/api/evaluations/sets', { body });
    await saveCases(api, setId, caseBodies(names, cases), []);
    return setId;
  },
  update: async (api, names, { id: setId }, { cases, agent, ...settings }) => {
    const bodies = caseBodies(names, cases);
    const body = { ...settings, agentId: names.id('agents', agent) } as never;
    await api.put('/api/evaluations/sets/{setId}', { params: { path: { setId } }, body });
    await saveCases(api, setId, bodies, await readCases(api, setId));
  },
  remove: async (api, setId) => {
    await api.delete('/api/evaluations/sets/{setId}', { params: { path: { setId } } });
  },
};

interface StoredCase {
  caseId: string;
  content: Content;
}

/** In the order in which they were made. */
async function readCases(api: Client, setId: string): Promise<StoredCase[]> {
  const params = { path: { setId } };
  const listed = (await all(api.list('/api/evaluations/sets/{setId}/cases', { params }))).toReversed();
  const cases: StoredCase[] = [];
  for (let begin = 0; begin < listed.length; begin += readsAtOnce) {
    const part = listed.slice(begin, begin + readsAtOnce).map(async ({ caseId }) => ({
      caseId,
      content: contentOfCase(await api.get(casePath, { params: { path: { setId, caseId } } })),
    }));
    cases.push(...(await Promise.all(part)));
  }
  return cases;
}

/** The fields of a case, without those that have their defaults. */
function contentOfCase(body: object): Content {
  const { sourceMessageIds, ...content } = pickFields(body, caseFields);
  return Array.isArray(sourceMessageIds) && sourceMessageIds.length > 0
    ? { ...content, sourceMessageIds }
    : content;
}

/** Cases are matched by their names. Those that the file no longer has are removed. */
async function saveCases(
  api: Client,
  setId: string,
  bodies: readonly Content[],
  stored: readonly StoredCase[],
): Promise<void> {
  const left = [...stored];
  for (const body of bodies) {
    const place = left.findIndex(({ content }) => content.name === body.name);
    const [before] = place === -1 ? [] : left.splice(place, 1);
    const at = { path: { setId, caseId: before?.caseId ?? '' } };
    if (!before)
      await api.post('/api/evaluations/sets/{setId}/cases', {
        params: { path: { setId } },
        body: body as never,
      });
    else if (!areEqual(before.content, body)) await api.put(casePath, { params: at, body: body as never });
  }
  for (const { caseId } of left) await api.delete(casePath, { params: { path: { setId, caseId } } });
}

function caseBodies(names: Names, cases: unknown): Content[] {
  if (!Array.isArray(cases)) throw new CliError('the cases of a test set must be a list');
  return cases.map((one: Content) => withIds(names, one));
}

const mapAssertions = (one: Content, map: (assertion: Content) => Content): Content =>
  Array.isArray(one.assertions) ? { ...one, assertions: one.assertions.map(map) } : one;

const withNames = (names: Names, one: Content): Content =>
  mapAssertions(one, (assertion) => {
    if (assertion.type !== 'agent') return assertion;
    const { agentId, among, ...rest } = assertion as { agentId: string; among: string[] };
    return {
      ...rest,
      agent: names.slugOrId('agents', agentId),
      among: among.map((id) => names.slugOrId('agents', id)),
    };
  });

const withIds = (names: Names, one: Content): Content =>
  mapAssertions(one, (assertion) => {
    if (assertion.type !== 'agent') return assertion;
    const { agent, among, ...rest } = assertion;
    return { ...rest, agentId: names.id('agents', agent), among: names.ids('agents', among) };
  });
