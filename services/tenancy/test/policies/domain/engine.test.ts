import type { Relation } from '@botyard/shared/auth/caller';
import { describe, expect, test } from 'vitest';
import { type Cedar, loadCedar, type Request } from '../../../src/policies/domain/cedar.ts';
import { createPolicyEngine, type OwnPolicy, type PolicySet } from '../../../src/policies/domain/engine.ts';
import { toAccessRequest, toMessageRequest } from '../../../src/policies/domain/requests.ts';

const bot = { botId: 'b', name: 'Support', isEnabled: true };
const now = new Date('2026-03-04T09:30:00.000Z');

function access(
  action: 'read' | 'manage',
  { relation = 'admin' as Relation, isOperator = false, on = 'tenant' } = {},
): Request {
  const caller = { userId: 'u', idpUserId: 'user_1', isOperator };
  const request = { address: '192.0.2.1', router: 'bots', method: 'GET' };
  const place = { tenantId: 't', botId: on === 'bot' ? 'b' : null, relation };
  return toAccessRequest({ caller, action, request }, place, { bot: on === 'bot' ? bot : null, now });
}

const message = toMessageRequest(
  {
    tenantId: 't',
    bot,
    platform: 'messenger',
    chatKind: 'group',
    platformChatId: '7',
    sender: { platformUserId: '1', name: 'Anna' },
  },
  now,
);

const policies = (...texts: string[]): OwnPolicy[] =>
  texts.map((text, index) => ({ policyId: `id-${index}`, name: `policy ${index}`, text }));

const setOf = (tenantId: string, ...texts: string[]): PolicySet => ({
  tenantId,
  revision: texts.join('|'),
  policies: policies(...texts),
});

function engineWith(...texts: string[]) {
  const engine = createPolicyEngine();
  const set = setOf('t', ...texts);
  return { ...engine, decide: (request: Request) => engine.decide(set, request) };
}

describe('the built-in set', () => {
  const engine = createPolicyEngine();
  const table: Readonly<Record<Relation, Readonly<Record<'read' | 'manage', boolean>>>> = {
    member: { read: true, manage: false },
    admin: { read: true, manage: true },
    operator: { read: true, manage: true },
  };
  const cells = Object.entries(table).flatMap(([relation, actions]) =>
    Object.entries(actions).flatMap(([action, isDue]) =>
      ['tenant', 'bot'].flatMap((on) =>
        [true, false].map((isOperator) => ({ relation, action, on, isOperator, isDue })),
      ),
    ),
  );

  test.each(cells)('decides by the roles: $relation $action $on (operator: $isOperator)', (cell) => {
    const request = access(cell.action as 'read', { ...cell, relation: cell.relation as Relation });
    expect(engine.decideByBase(request).isAllowed).toBe(cell.isDue);
  });

  test('allows nothing through another relation, and no unknown action', () => {
    for (const relation of ['', 'stranger', 'Admin'] as string[] as Relation[]) {
      expect(engine.decideByBase(access('read', { relation, isOperator: true })).isAllowed).toBe(false);
    }
    const unknown = { ...access('read'), action: { type: 'Action', id: 'destroy' } };
    expect(engine.decideByBase(unknown)).toEqual({ isAllowed: false, reason: 'policy failed', policies: [] });
  });

  test('lets everybody write', () => {
    expect(engine.decideByBase(message)).toEqual({ isAllowed: true });
  });
});

describe('a decision', () => {
  test('is refused by a forbid of the tenant, which is named', () => {
    const engine = engineWith(
      'permit(principal, action, resource);',
      'forbid(principal, action == Action::"manage", resource) when { context.hour >= 9 && context.weekday == 3 };',
    );
    expect(engine.decide(access('read'))).toEqual({ isAllowed: true });
    expect(engine.decide(access('manage'))).toEqual({
      isAllowed: false,
      reason: 'policy',
      policies: ['policy 1'],
    });
  });

  test('is a refusal after an error, although Cedar skips the forbid and allows', () => {
    const engine = engineWith(
      'forbid(principal is User, action == Action::"read", resource) when { context.hour * 9223372036854775807 > 5 };',
    );
    expect(engine.decide(access('read'))).toEqual({
      isAllowed: false,
      reason: 'policy failed',
      policies: ['policy 0'],
    });
    expect(engine.decide(message)).toEqual({ isAllowed: true });
  });

  test('about a principal whose attributes are missing is a refusal', () => {
    const engine = engineWith('forbid(principal is User, action, resource) when { principal.isOperator };');
    const request = access('read');
    const { isAllowed } = engine.decide({ ...request, entities: request.entities.slice(1) });
    expect(isAllowed).toBe(false);
    const bare = request.entities.map((entity, index) => (index === 0 ? { ...entity, attrs: {} } : entity));
    expect(engine.decide({ ...request, entities: bare }).isAllowed).toBe(false);
  });

  test("with a context that doesn't match the schema is a refusal", () => {
    const engine = engineWith('permit(principal, action, resource);');
    const { address: _address, ...context } = access('read').context;
    expect(engine.decide({ ...access('read'), context }).isAllowed).toBe(false);
    const garbled = { ...context, address: { __extn: { fn: 'ip', arg: 'not an address' } } };
    expect(engine.decide({ ...access('read'), context: garbled }).isAllowed).toBe(false);
  });

  test('is a refusal if the set does not parse', () => {
    const engine = engineWith('forbid(');
    expect(engine.decide(access('read')).isAllowed).toBe(false);
    expect(engine.decideByBase(access('read')).isAllowed).toBe(true);
  });

  test('about a message sees the person, the chat and the bot', () => {
    const engine = engineWith(
      `forbid(principal, action == Action::"sendMessage", resource)
       when { context.chatKind == "group" && principal.name like "An*" && resource.name == "Support" && resource in Tenant::"t" };`,
    );
    expect(engine.decide(message).isAllowed).toBe(false);
    const inPrivate = { ...message, context: { ...message.context, chatKind: 'private' } };
    expect(engine.decide(inPrivate).isAllowed).toBe(true);
  });
});

describe('sets take turns', () => {
  const none = 'forbid(principal, action, resource);';

  test('so that 3 slots serve 50 tenants, each by its own set, under a fixed number of names', () => {
    const names = new Set<string>();
    const load = (): Cedar => {
      const cedar = loadCedar();
      const preparsePolicySet: Cedar['preparsePolicySet'] = (name, set) => {
        names.add(name);
        return cedar.preparsePolicySet(name, set);
      };
      return { ...cedar, preparsePolicySet };
    };
    const engine = createPolicyEngine({ slots: 3, load });
    for (let round = 0; round < 100; round += 1) {
      const isRefusing = round % 2 === 0;
      const set = setOf(`tenant ${(round * 7) % 50}`, ...(isRefusing ? [none] : []));
      expect(engine.decide(set, access('read')).isAllowed).toBe(!isRefusing);
    }
    expect(names.size).toBe(4);
  });

  test('and the most recently used one stays', () => {
    const parsed: string[] = [];
    const load = (): Cedar => {
      const cedar = loadCedar();
      const preparsePolicySet: Cedar['preparsePolicySet'] = (name, set) => {
        parsed.push(name);
        return cedar.preparsePolicySet(name, set);
      };
      return { ...cedar, preparsePolicySet };
    };
    const engine = createPolicyEngine({ slots: 2, load });
    const sets = { a: setOf('a', none), b: setOf('b'), c: setOf('c') };
    const order = ['a', 'b', 'a', 'c', 'a', 'c', 'b'] as const;
    expect(order.map((name) => engine.decide(sets[name], access('read')).isAllowed)).toEqual(
      order.map((name) => name !== 'a'),
    );
    expect(parsed).toEqual(['base', 'slot 0', 'slot 1', 'slot 1', 'slot 0']);
  });
});

test('a set that breaks an instance is refused until it changes, and other tenants are decided rightly', () => {
  let loaded = 0;
  const load = (): Cedar => {
    const cedar = loadCedar();
    loaded += 1;
    const preparsePolicySet: Cedar['preparsePolicySet'] = (name, set) => {
      if (JSON.stringify(set).includes('breaks')) throw new Error('memory access out of bounds');
      return cedar.preparsePolicySet(name, set);
    };
    return { ...cedar, preparsePolicySet };
  };
  const engine = createPolicyEngine({ load });
  const hostile = setOf('t', '// breaks');
  for (let times = 0; times < 10; times += 1) {
    expect(engine.decide(hostile, access('read'))).toEqual({
      isAllowed: false,
      reason: 'policy failed',
      policies: [],
    });
    expect(engine.decide(setOf('other'), access('read'))).toEqual({ isAllowed: true });
  }
  expect(engine.decide(setOf('t'), access('read'))).toEqual({ isAllowed: true });
  expect(loaded).toBe(2);
});

test('a name that is not text breaks nothing', () => {
  let loaded = 0;
  const load = (): Cedar => {
    loaded += 1;
    return loadCedar();
  };
  const engine = createPolicyEngine({ load });
  const set = setOf('t', 'forbid(principal is Person, action, resource) when { principal.name like "*x*" };');
  for (const name of ['\ud800', 'a\udc00b', 'a\0b', '💥', '"]}', '\u202E']) {
    const request = toMessageRequest(
      {
        tenantId: 't',
        bot,
        platform: 'messenger',
        chatKind: 'group',
        platformChatId: name,
        sender: { platformUserId: name, name },
      },
      now,
    );
    expect([name, engine.decide(set, request)]).toEqual([name, { isAllowed: true }]);
  }
  expect(loaded).toBe(1);
});
