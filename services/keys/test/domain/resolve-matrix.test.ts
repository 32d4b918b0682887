import { Resolution } from '@botyard/contracts/http/keys';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { createRecipient } from '@botyard/shared/secrets/handover';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addAgent,
  addBot,
  type KeysServices,
  keysEnv,
  openKeysServices,
  patientResolveKey,
  startKeys,
  storeKey,
} from '../keys-services.ts';

let services: KeysServices;
let botId: string;
let agentId: string;

beforeAll(async () => {
  services = await openKeysServices();
  botId = await addBot(services, services.acme);
  agentId = addAgent(services);
});

afterAll(() => services?.harness.close());

const states = [
  'none',
  'active',
  'invalid',
  'refused',
  'resting',
  'tried',
  'active twice',
  'newest invalid',
] as const;
type State = (typeof states)[number];
const scopes = ['agent', 'bot', 'tenant'] as const;
type Scope = (typeof scopes)[number];
type Stored = { keyId: string; scope: Scope; fault: 'invalid' | 'refused' | 'resting' | 'tried' | undefined };

/** The keys of a scope in this state, the newest first. */
const keysOf: Readonly<Record<State, readonly Stored['fault'][]>> = {
  none: [],
  active: [undefined],
  invalid: ['invalid'],
  refused: ['refused'],
  resting: ['resting'],
  tried: ['tried'],
  'active twice': [undefined, undefined],
  'newest invalid': ['invalid', undefined],
};

const changes: Readonly<Record<NonNullable<Stored['fault']>, string>> = {
  invalid: "status = 'invalid', invalidated_by = 'person', invalidated_at = now()",
  refused: "status = 'invalid', invalidated_by = 'provider', invalidated_at = now()",
  resting: "cool_until = '2999-01-01'",
  tried: 'updated_at = now()',
};

const reasons: Readonly<Record<NonNullable<Stored['fault']>, string>> = {
  invalid: 'is marked invalid',
  refused: 'is marked invalid: the provider refused it',
  resting: 'rests until 2999-01-01T00:00:00.000Z: the provider limits it',
  tried: 'was tried before in this call',
};

/** Two real keys for each scope, whose states are set for each cell. */
async function storeAll(): Promise<Map<Scope, string[]>> {
  const { keys, acme } = services;
  const keyIds = new Map<Scope, string[]>();
  for (const scope of scopes) {
    const scopeId = { agent: agentId, bot: botId, tenant: undefined }[scope];
    const ids = [];
    for (let count = 0; count < 2; count += 1) {
      ids.unshift(await storeKey(keys, acme, { scopeType: scope, ...(scopeId ? { scopeId } : {}) }));
    }
    keyIds.set(scope, ids);
  }
  return keyIds;
}

/** The rule of REQ-KEY-2, implemented independently of the code. */
function expected(stored: readonly Stored[], hasPlatform: boolean): Resolution {
  const winner = stored.find(({ fault }) => !fault);
  return {
    keyId: winner?.keyId ?? null,
    source: winner?.scope ?? (hasPlatform ? 'platform' : 'none'),
    considered: stored.map((key) => ({ keyId: key.keyId, reason: reasonOf(key, winner) })),
  };
}

function reasonOf(key: Stored, winner: Stored | undefined): string {
  if (key.fault) return reasons[key.fault];
  if (key === winner) return `used: the newest usable key of the ${key.scope}`;
  return key.scope === winner?.scope
    ? 'a newer key of this scope is used'
    : `a key of the ${winner?.scope} is used`;
}

test.each([
  ['without', {}],
  ['with', { OPENAI_API_KEY: 'sk-platform-0123456789' }],
])(
  'every state of every scope, with every other, %s a key of the platform: the choice and every reason',
  async (_what, env) => {
    const { harness, acme } = services;
    await services.keys.stop();
    await harness.asOwner('delete from keys.keys');
    services.keys = await startKeys(harness, { ...keysEnv, ...env });
    const ids = await storeAll();
    const [rows, database, bus] = [
      await harness.asOwner<Record<string, unknown>>('select * from keys.keys'),
      harness.databaseAs('keys'),
      await harness.busAs('agents'),
    ];
    let cells = 0;
    for (const ofAgent of states)
      for (const ofBot of states)
        for (const ofTenant of states) {
          const stored = [ofAgent, ofBot, ofTenant].flatMap((state, place) => {
            const scope = scopes[place]!;
            return keysOf[state].map((fault, index) => ({ scope, fault, keyId: ids.get(scope)![index]! }));
          });
          await withTenant(database, [acme.tenantId], async (tx) => {
            await tx.query({ name: 'matrix.clear', text: 'delete from keys.keys', values: [] });
            await tx.query({
              name: 'matrix.put',
              text: 'insert into keys.keys select * from jsonb_populate_recordset(null::keys.keys, $1)',
              values: [
                JSON.stringify(rows.filter((row) => stored.some(({ keyId }) => keyId === row.key_id))),
              ],
            });
            for (const { keyId, fault } of stored) {
              if (!fault) continue;
              const text = `update keys.keys set ${changes[fault]} where key_id = $1`;
              await tx.query({ name: `matrix.${fault}`, text, values: [keyId] });
            }
          });
          const { recipient } = createRecipient();
          const answer = await ask(bus, patientResolveKey, {
            tenantId: acme.tenantId,
            provider: 'openai',
            botId,
            agentId,
            excluding: stored.filter(({ fault }) => fault === 'tried').map(({ keyId }) => keyId),
            recipient,
          });
          const due = expected(stored, 'OPENAI_API_KEY' in env);
          expect(Resolution.parse(answer), `${ofAgent}, ${ofBot}, ${ofTenant}`).toEqual(due);
          const couldLater = due.keyId === null && stored.some(({ fault }) => fault === 'resting');
          expect(answer.isLimited).toBe(couldLater);
          cells += 1;
        }
    expect(cells).toBe(512);
  },
);
