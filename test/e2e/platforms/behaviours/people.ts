import { randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { expect } from 'vitest';
import { type Behaviour, type Channel, callTool } from '../rig.ts';

export const people: readonly Behaviour[] = [
  {
    name: 'while a person of the tenant handles a chat the bot is silent; what they write arrives',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const [text, aside] = [`help ${randomUUID()}`, `to you ${randomUUID()}`];
      await channel.ask({ person, text });
      const { chatId } = await channel.chatWith(text);
      await channel.api('POST', `/api/interactions/chats/${chatId}/takeover`, {});
      await channel.write({ person, text: aside });
      await channel.api('POST', `/api/interactions/chats/${chatId}/messages`, { text: 'Ben here' });
      await channel.isSent(person, 'Ben here');
      const texts = channel.textsTo(person);
      expect(texts.filter((words) => words.includes(aside))).toEqual([]);
      await channel.api('POST', `/api/interactions/chats/${chatId}/handback`);
      await channel.ask({ person, text: 'thanks' });
    },
  },
  {
    name: 'a call that needs approval waits for the decision, and the chat gets its result',
    run: async (channel) => {
      const { bot, every } = channel;
      const person = bot.newPerson('Anna');
      const tool = await addTool(channel);
      await channel.ask({ person, text: 'hello' });
      every.system.model.replyInTurn({ toolCalls: [callTool(tool)] });
      await channel.write({ person, text: 'send the mail' });
      const ticket = await eventually('the call waits', async () => {
        const [waiting] = await channel.api<{ ticketId: string }[]>('GET', '/api/integrations/pending');
        return waiting;
      });
      const [before, executed] = [bot.sentTo(person).length, every.tools.executions.all.length];
      await channel.api('POST', `/api/integrations/pending/${ticket.ticketId}/approve`, {});
      // The notice that the call waits may come to the chat as late as this.
      await eventually('the call runs', () => every.tools.executions.all.length > executed);
      await eventually('the chat gets the result', () => bot.sentTo(person).length > before);
      expect(every.tools.executions.all.at(-1)).toMatchObject({ tool: 'MAIL_SEND' });
    },
  },
  {
    name: 'a muted person gets no answer, and mutes are listed by platform',
    run: async (channel) => {
      const { bot, platform } = channel;
      const person = bot.newPerson('Anna');
      const [text, ignored] = [`loud ${randomUUID()}`, `muted ${randomUUID()}`];
      await channel.ask({ person, text });
      const platformUserId = await channel.idOf(text);
      const { muteId } = await channel.api<{ muteId: string }>('POST', '/api/auth/moderation', {
        platform,
        platformUserId,
      });
      const listed = await channel.api<{ muteId: string }[]>(
        'GET',
        `/api/auth/moderation?platform=${platform}`,
      );
      expect(listed.map((mute) => mute.muteId)).toContain(muteId);
      await channel.write({ person, text: ignored });
      await eventually('the message is ignored', async () => {
        const messages = await channel.messagesIn(await channel.chatWith(text));
        return messages.some((message) => message.text.includes(ignored) && message.status === 'ignored');
      });
      await channel.api('DELETE', `/api/auth/moderation/${muteId}`);
      await channel.ask({ person, text: 'forgiven' });
      expect(channel.asked(ignored)).toBe(0);
    },
  },
  {
    name: 'an erased person is in no store any more, neither by identifier nor by words',
    run: async (channel) => {
      const { bot, platform } = channel;
      const person = bot.newPerson(`Anna${randomUUID().slice(0, 8)}`);
      const mark = randomUUID();
      await channel.ask({ person, text: `my secret is ${mark}` });
      const platformUserId = await channel.idOf(mark);
      const { requestId } = await channel.api<{ requestId: string }>('POST', '/api/admin/gdpr/requests', {
        platform,
        platformUserId,
      });
      await eventually('the person is erased', async () => {
        const { state } = await channel.api<{ state: string }>(
          'GET',
          `/api/admin/gdpr/requests/${requestId}`,
        );
        return state === 'done';
      });
      for (const words of [mark, platformUserId, person.name])
        expect(await tablesWith(channel, words)).toEqual([]);
    },
  },
  {
    name: 'messages are archived, and can be read in the archive',
    run: async (channel) => {
      const { bot } = channel;
      const text = `for the archive ${randomUUID()}`;
      await channel.ask({ person: bot.newPerson('Anna'), text });
      const { chatId } = await channel.chatWith(text);
      await eventually('the answer is known to be sent', async () =>
        (await channel.messagesIn({ chatId })).some(({ status }) => status === 'sent'),
      );
      const { jobId } = await channel.api<{ jobId: string }>('POST', '/api/archival/archive', {
        chatId,
        before: new Date().toISOString(),
      });
      await eventually('it is archived', async () => {
        const { state } = await channel.api<{ state: string }>('GET', `/api/archival/jobs/${jobId}`);
        return state === 'done';
      });
      const archived = await channel.api<{ text: string }[]>(
        'GET',
        `/api/archival/messages?chatId=${chatId}`,
      );
      expect(archived.some((message) => message.text.includes(text))).toBe(true);
    },
  },
  {
    name: 'an answer has a trace, with the messages at the platform',
    run: async (channel) => {
      const { bot } = channel;
      const text = `trace me ${randomUUID()}`;
      await channel.ask({ person: bot.newPerson('Anna'), text });
      const { chatId } = await channel.chatWith(text);
      const trace = await eventually('the trace knows that it was sent', async () => {
        const [first] = await channel.api<{ traceId: string }[]>(
          'GET',
          `/api/context-traces?chatId=${chatId}`,
        );
        const whole = first && (await channel.api<Trace>('GET', `/api/context-traces/${first.traceId}`));
        return whole?.outbound?.state === 'sent' && whole;
      });
      expect(trace).toMatchObject({ outcome: 'answered', deliveries: [{ dedupe: 'first' }] });
      expect(trace.outbound.platformMessageIds.length).toBeGreaterThan(0);
    },
  },
];

interface Trace {
  outbound: { state: string; platformMessageIds: string[] };
}

/** A tool of somebody outside for the bot's agent; each call needs an approval. */
async function addTool(channel: Channel): Promise<string> {
  await channel.api('PUT', '/api/integrations/access-rules', { effect: 'approval', toolkit: 'mail' });
  const { redirectUrl, state } = await channel.api<{ redirectUrl: string; state: string }>(
    'POST',
    '/api/tools/connect',
    { toolkit: 'mail' },
  );
  await fetch(redirectUrl);
  await channel.api('POST', '/api/tools/verify', { state });
  const name = 'send_mail';
  const { id } = await channel.api<{ id: string }>('POST', '/api/definitions/tools', {
    name,
    description: 'Sends a mail.',
    kind: 'external',
    settings: { toolkit: 'mail', tool: 'MAIL_SEND' },
  });
  const path = `/api/definitions/agents/${channel.agentId}`;
  await channel.api('PUT', path, { toolIds: [id] });
  return name;
}

/** The tables of all services with these words. */
async function tablesWith({ system }: Channel, words: string): Promise<string[]> {
  const tables = await system.asOwner<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const [row] = await system.asOwner<{ names: string[] | null }>(
    `select array_agg(name) as names from (${tables
      .map(({ name }) => `(select '${name}' as name from ${name} t where t::text like '%${words}%' limit 1)`)
      .join(' union all ')}) as hits`,
  );
  return row?.names ?? [];
}
