import { ask } from '../../rig/people.ts';
import { type Case, equals, isAtLeast } from '../attack.ts';
import { Customer } from '../customer.ts';
import type { Installation } from '../installation.ts';

const chatsAtOnce = 4;
const toolName = 'order';
const tool = 'WEATHER_ORDER';

/** Arguments that a display may mask, or whose characters it may hide. All of them can be shown whole. */
const shownWhole: readonly object[] = [
  { secretary: 'mallory@example.com' },
  { name: 'sk-mallory_evil', password: 'delete all customers' },
  { header: 'Bearer delete.all.customers', api_key: 'everything' },
  { file: 'invoice\u202efdp.exe', to: 'pay\u200bpal' },
  { note: 'harmless\u001b[2K\rdelete all', more: '\u0085\u2028\u{e0041}' },
  { to: 'p\u0430ypal', name: '\uff41dmin', '\u202ekey': 1 },
  { text: 'a'.repeat(7000), last: 'delete all customers' },
];
/** Characters that are invisible, or change the order or place of others. The text is JSON in lines. */
const hiding = /(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{DI}]/u;

interface Ticket {
  arguments: unknown;
  argumentsText: string;
}

/** A model is made to call a tool that needs an approval, with arguments that are hard to show. */
export const approvals: Case = {
  about: 'calls that need an approval, with arguments that are hard to show',
  canSpread: false,
  begin: async (installation) => {
    const { system, attacker } = installation;
    await addTool(installation);
    const neverShown = [
      { text: '\u200b'.repeat(7000) },
      { text: 'a'.repeat(40_000) },
      { text: `x${attacker.demo.botToken}x` },
    ];
    const calls = [...shownWhole, ...neverShown];
    system.model.replyWith(({ messages }) => {
      const last = messages.at(-1);
      const [, number] = /^call (\d+)$/.exec(String(last?.content)) ?? [];
      if (last?.role === 'tool' || number === undefined) return 'ok';
      return { toolCalls: [{ name: toolName, arguments: { ...calls[Number(number)] } }] };
    });
    const ending = new AbortController();
    const repeat = async () => {
      while (!ending.signal.aborted)
        for (const number of calls.keys())
          await new Customer(installation, attacker.demo).ask(`call ${number}`);
    };
    const all = Promise.all(Array.from({ length: chatsAtOnce }, repeat));
    all.catch(() => undefined);
    let tickets: Ticket[] = [];
    return {
      stop: async () => {
        ending.abort();
        await all;
        const path = '/api/integrations/pending?status=pending&limit=100';
        tickets = await ask<Ticket[]>(system, attacker.person.bearer, `GET ${path}`);
      },
      checks: () => {
        const isShown = (args: object) => tickets.some((ticket) => isWhole(ticket, args));
        const isHidden = (ticket: Ticket) => !shownWhole.some((args) => isWhole(ticket, args));
        return [
          equals('tickets that hide something', 0, tickets.filter(isHidden).length),
          isAtLeast('kinds of arguments that wait', shownWhole.length, shownWhole.filter(isShown).length),
        ];
      },
    };
  },
};

/** Whether the person who decides sees exactly these arguments. */
function isWhole(ticket: Ticket, args: object): boolean {
  const text = canonical(args);
  if (hiding.test(ticket.argumentsText) || canonical(ticket.arguments) !== text) return false;
  return canonical(JSON.parse(ticket.argumentsText)) === text;
}

const canonical = (args: unknown): string => JSON.stringify(Object.entries(args as object).sort());

async function addTool({ system, attacker, tools }: Installation): Promise<void> {
  tools.tools.set(tool, { slug: tool, toolkit: 'weather', parameters: { type: 'object', properties: {} } });
  const call = <Body>(what: string, body: object) => ask<Body>(system, attacker.person.bearer, what, body);
  const settings = { toolkit: 'weather', tool };
  const definition = { name: toolName, kind: 'external', settings };
  const { id } = await call<{ id: string }>('POST /api/definitions/tools', definition);
  await call(`PUT /api/definitions/agents/${attacker.demo.agentId}`, { toolIds: [id] });
  await call('PUT /api/integrations/access-rules', { effect: 'approval', toolkit: 'weather' });
}
