import { AppSpec } from '@botyard/contracts/http/app-spec';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planRoutes } from '../../../../src/apps/domain/migration/plan.ts';
import { faultsOf } from '../../../../src/apps/domain/spec-faults.ts';
import { assignmentsFor } from '../../../../src/routing/domain/assignment.ts';
import { takeRoutes } from '../../../../src/routing/domain/routes-of-apps.ts';
import type { AssignmentRow } from '../../../../src/routing/store/assignments.ts';
import type { MessagePlace } from '../../../../src/routing/store/bound-apps.ts';
import type { PlacedAssignment, RoutedAgent } from '../../../../src/routing/store/routing-view.ts';
import { agent } from '../../../routing/domain/routed.ts';

const uuid = (kind: string, number: number) =>
  `${kind.repeat(8)}-0000-4000-8000-${String(number).padStart(12, '0')}`;
const [tenantId, botId] = [uuid('a', 0), uuid('b', 0)];
const agentIds = [1, 2, 3].map((number) => uuid('c', number));
const [chats, groups] = [
  [1, 2].map((number) => uuid('d', number)),
  [1, 2].map((number) => uuid('e', number)),
];

const nowhere = { chatId: null, groupId: null, kind: null, threadId: null };
const places = fc.oneof(
  fc.constant(nowhere),
  fc.constantFrom(...chats).map((chatId) => ({ ...nowhere, chatId })),
  fc.constantFrom('private' as const, 'group' as const).map((kind) => ({ ...nowhere, kind })),
  fc
    .tuple(fc.constantFrom(...groups), fc.constantFrom(null, 'general', '7'))
    .map(([groupId, threadId]) => ({ ...nowhere, groupId, threadId })),
);
const assignmentsOfBot = fc
  .array(
    fc.record({
      place: places,
      keywords: fc.uniqueArray(fc.constantFrom('tea', 'milk', 'red tea'), { maxLength: 2 }),
      language: fc.constantFrom(null, 'de', 'pt-br'),
      priority: fc.integer({ min: -1, max: 1 }),
      agentId: fc.constantFrom(...agentIds),
    }),
    { maxLength: 12 },
  )
  .map((drawn) =>
    drawn.map(
      ({ place, keywords, ...one }, index): AssignmentRow => ({
        ...one,
        ...place,
        tenantId,
        botId,
        assignmentId: uuid('f', index),
        keywords: keywords.toSorted(),
        createdAt: new Date(0),
        updatedAt: new Date(0),
        fingerprint: JSON.stringify([place, keywords.toSorted(), one.language]),
      }),
    ),
  )
  // The database has one of each, and gives the oldest first.
  .map((rows) =>
    rows.filter(
      ({ fingerprint }, index) => rows.findIndex((row) => row.fingerprint === fingerprint) === index,
    ),
  );

const messagePlaces = fc
  .tuple(fc.constantFrom(null, ...chats), fc.constantFrom(null, ...groups), fc.constantFrom('general', '7'))
  .map(
    ([chatId, groupId, threadId]): MessagePlace => ({
      botId,
      platform: 'messenger',
      chatId,
      groupId,
      threadId,
      kind: groupId ? 'group' : 'private',
    }),
  );

/** As the statement that reads them does it. */
const isHere = (row: AssignmentRow, place: MessagePlace): boolean =>
  (['chatId', 'groupId', 'kind', 'threadId'] as const).every(
    (field) => row[field] === null || row[field] === place[field],
  );

test('an assigned agent answers by a route, for every message in every place', () => {
  fc.assert(
    fc.property(
      assignmentsOfBot,
      messagePlaces,
      fc.record({
        message: fc.constantFrom('tea', 'a red tea please', 'milk and tea', 'hello'),
        language: fc.constantFrom(null, 'de-AT', 'pt', 'en'),
      }),
      fc.constantFrom(null, ...agentIds),
      (rows, place, message, disabledId) => {
        const agents = agentIds.map((id): RoutedAgent => agent(id, [], { isEnabled: id !== disabledId }));
        const placed = rows
          .filter((row) => isHere(row, place))
          .map((row): PlacedAssignment => ({ ...row, agent: agents.find(({ id }) => id === row.agentId)! }));
        const before = assignmentsFor(placed, message).find(({ agent: assigned }) => assigned.isEnabled);
        const { spec } = planRoutes({ tenantId, botId, name: 'Bot', bindings: 0, assignments: rows });
        const binding = { ...nowhere, platform: null, bindingId: 'x', priority: 1000 };
        const app = {
          appId: 'app',
          name: 'App',
          version: 1,
          spec: AppSpec.parse(spec),
          agents,
          binding,
          place,
        };
        const after = takeRoutes([app], message).route;
        expect(after?.agent.id).toBe(before?.agent.id);
        expect(after?.route.name).toBe(before && `assignment-${before.assignmentId}`);
      },
    ),
    { numRuns: 500 },
  );
});

test('the spec of any assignments has no fault', () => {
  fc.assert(
    fc.property(assignmentsOfBot, (assignments) => {
      const { spec, assignmentIds } = planRoutes({ tenantId, botId, name: 'Bot', bindings: 0, assignments });
      expect(faultsOf(spec)).toEqual([]);
      expect(assignmentIds).toHaveLength(spec.routes.length);
    }),
  );
});

test('a bot with too many apps, or with more than a spec can express, is blocked with a reason', () => {
  const row = { ...nowhere, tenantId, botId, agentId: agentIds[0]!, language: null, priority: 0 };
  const times = { createdAt: new Date(0), updatedAt: new Date(0), fingerprint: '' };
  const large = Array.from(
    { length: 100 },
    (_, index): AssignmentRow => ({
      ...row,
      ...times,
      assignmentId: uuid('f', index),
      keywords: Array.from({ length: 50 }, (_word, word) => `${'ü'.repeat(90)} ${index} ${word}`),
    }),
  );
  const bot = {
    tenantId,
    botId,
    name: 'x'.repeat(500),
    assignments: [{ ...row, ...times, assignmentId: uuid('f', 1), keywords: [] }],
  };
  expect(planRoutes({ ...bot, bindings: 20 }).blocked).toMatch(/20 apps/);
  expect(planRoutes({ ...bot, assignments: large, bindings: 0 }).blocked).toMatch(/larger than/);
  expect(planRoutes({ ...bot, bindings: 19 })).toMatchObject({ blocked: null });
  expect(planRoutes({ ...bot, bindings: 0 }).appName).toHaveLength(200);
});
