import type { Schema } from '@botyard/client/client';
import { useId, useState } from 'react';
import { useActing } from '../api/acting.tsx';
import { useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { Button, Field, Form, Panel } from '../parts/controls.tsx';
import { Fault, Loaded } from '../parts/states.tsx';
import { Time } from '../parts/text.tsx';

const chatPath = '/api/interactions/chats/{chatId}';

/** Who handles a chat: take it over, write into it, assign it, give it back. */
export function Handling({ chatId }: { chatId: string }) {
  const chat = useAnswer(chatPath, {
    path: { chatId },
    // Each message of a person moves on when the bot takes the chat back.
    live: { events: ['chat.updated', 'message.sent'], chatId },
  });
  return (
    <Loaded answer={chat}>
      {(one) =>
        one.handling === 'bot' ? <WithBot chatId={chatId} /> : <WithPerson key={chatId} chat={one} />
      }
    </Loaded>
  );
}

const takeover = (chatId: string, body: object) => ({
  what: 'Take the chat over',
  method: 'post' as const,
  path: `${chatPath}/takeover` as const,
  names: { chatId },
  body,
});

function WithBot({ chatId }: { chatId: string }) {
  const take = useAction();
  return (
    <Panel title="The bot handles this chat">
      {take.error && <Fault error={take.error} />}
      <Button look="main" disabled={take.isPending} onClick={() => take.mutate(takeover(chatId, {}))}>
        Take over
      </Button>
    </Panel>
  );
}

function WithPerson({ chat }: { chat: Schema<'Chat'> }) {
  const { chatId, handbackAt, handoverReason } = chat;
  const give = useAction();
  const handBack = () =>
    give.mutate({
      what: 'Give the chat back',
      method: 'post',
      path: `${chatPath}/handback`,
      names: { chatId },
    });
  return (
    <Panel title="A person handles this chat">
      <div className="grid gap-4">
        {handoverReason && <p className="break-words">An agent asked for a person: {handoverReason}</p>}
        {handbackAt && (
          <p className="text-sm text-soft">
            The bot takes it back by itself if nobody has written by <Time at={handbackAt} />
          </p>
        )}
        <Write chatId={chatId} />
        <Assign chat={chat} />
        {give.error && <Fault error={give.error} />}
        <div>
          <Button disabled={give.isPending} onClick={handBack}>
            Give back
          </Button>
        </div>
      </div>
    </Panel>
  );
}

function Write({ chatId }: { chatId: string }) {
  const write = useAction();
  // The text is kept until it is stored: nothing is shown as said that may not have been.
  const [written, setWritten] = useState(0);
  const send = ({ text }: Record<string, string>) =>
    write.mutate(
      {
        what: 'Write into the chat',
        method: 'post',
        path: `${chatPath}/messages`,
        names: { chatId },
        body: { text },
      },
      { onSuccess: () => setWritten((count) => count + 1) },
    );
  return (
    <Form key={written} onSend={send}>
      {write.error && <Fault error={write.error} />}
      <Field label="Message" name="text" isLong isRequired />
      <div>
        <Button type="submit" look="main" disabled={write.isPending}>
          Send
        </Button>
      </div>
    </Form>
  );
}

function Assign({ chat: { chatId, assigneeUserId } }: { chat: Schema<'Chat'> }) {
  const id = useId();
  const { tenantId } = useActing();
  const path = { tenantId: tenantId ?? '' };
  const members = useList('/api/bots/tenants/{tenantId}/members', { path, enabled: tenantId !== null });
  const assign = useAction();
  const people = members.data ?? [];
  const isKnown = people.some(({ userId }) => userId === assigneeUserId);
  return (
    <div className="grid gap-1">
      {assign.error && <Fault error={assign.error} />}
      <label htmlFor={id} className="text-sm font-medium">
        Assigned to
      </label>
      <select
        id={id}
        className="w-full rounded-md border border-line bg-panel px-3 py-1.5 text-ink"
        value={assigneeUserId ?? ''}
        disabled={assign.isPending}
        onChange={({ target }) => assign.mutate(takeover(chatId, { assigneeUserId: target.value || null }))}
      >
        <option value="">nobody yet</option>
        {assigneeUserId !== null && !isKnown && <option value={assigneeUserId}>somebody else</option>}
        {people.map(({ userId, name, idpUserId }) => (
          <option key={userId} value={userId}>
            {name ?? idpUserId}
          </option>
        ))}
      </select>
    </div>
  );
}
