import type { Schema } from '@botyard/client/client';
import { type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import type { Foreseen } from '../api/foresee.ts';
import { type Action, useAction } from '../api/use-action.ts';
import { addressOf, useAnswer } from '../api/use-answer.ts';
import { useMembers } from '../api/use-members.ts';
import { Button, Field, Form, Panel, SubmitRow } from '../parts/controls.tsx';
import { Fault, Loaded } from '../parts/states.tsx';
import { Time } from '../parts/text.tsx';

const chatsPath = '/api/interactions/chats';
const chatPath = `${chatsPath}/{chatId}` as const;

/** Controls for a chat: take it over, write into it, assign it, hand it back. */
export function Handling({ chatId }: { chatId: string }) {
  const chat = useAnswer(chatPath, {
    path: { chatId },
    // Each message from a person postpones the time at which the bot takes the chat back.
    live: { events: ['chat.updated', 'message.sent'], chatId },
  });
  const act = useAction();
  const place = useRef<HTMLElement>(null);
  const draft = useRef('');
  const handOver = (action: Action) => {
    act.mutate(action);
    // The pressed button disappears, so the focus moves to the region.
    place.current?.focus();
  };
  return (
    <section ref={place} tabIndex={-1} aria-label="Who handles this chat" className="grid gap-3">
      {act.error && <Fault error={act.error} />}
      <Loaded answer={chat}>
        {(one) =>
          one.handling === 'bot' ? (
            <Panel title="The bot handles this chat">
              <Button look="main" disabled={act.isPending} onClick={() => handOver(takeOver(chatId))}>
                Take over
              </Button>
            </Panel>
          ) : (
            <WithPerson
              chat={one}
              draft={draft}
              isBusy={act.isPending}
              onAssign={(person) => act.mutate(assign(chatId, person))}
              onGiveBack={() => handOver(giveBack(chatId))}
            />
          )
        }
      </Loaded>
    </section>
  );
}

/** The expected change of a chat, on its own page and in the list of chats. */
const foreseen = (chatId: string, change: Partial<Record<keyof Schema<'Chat'>, unknown>>): Foreseen => ({
  at: [addressOf(chatPath, { path: { chatId } }), chatsPath],
  only: { chatId },
  change,
});

const takeOver = (chatId: string): Action => ({
  what: 'Chat taken over',
  method: 'post',
  path: `${chatPath}/takeover`,
  names: { chatId },
  body: {},
  foreseen: foreseen(chatId, { handling: 'person' }),
});

interface Assignee {
  userId: string | null;
  name: string | undefined;
}

const assign = (chatId: string, { userId, name }: Assignee): Action => ({
  what: 'Chat assigned',
  method: 'post',
  path: `${chatPath}/takeover`,
  names: { chatId },
  body: { assigneeUserId: userId },
  foreseen: foreseen(chatId, { handling: 'person', assigneeUserId: userId, assigneeName: name }),
});

const giveBack = (chatId: string): Action => ({
  what: 'Chat handed back',
  method: 'post',
  path: `${chatPath}/handback`,
  names: { chatId },
  foreseen: foreseen(chatId, { handling: 'bot', assigneeUserId: null, assigneeName: undefined }),
});

interface WithPersonProps {
  chat: Schema<'Chat'>;
  draft: RefObject<string>;
  isBusy: boolean;
  onAssign: (person: Assignee) => void;
  onGiveBack: () => void;
}

function WithPerson({ chat, draft, isBusy, onAssign, onGiveBack }: WithPersonProps) {
  const { chatId, handbackAt, handoverReason } = chat;
  return (
    <Panel title="A person handles this chat">
      <div className="grid gap-4">
        {handoverReason && <p className="break-words">An agent asked for a person: {handoverReason}</p>}
        {handbackAt && (
          <p className="text-sm text-soft">
            The bot takes this chat back at <Time at={handbackAt} /> unless someone writes before then.
          </p>
        )}
        <Write chatId={chatId} draft={draft} />
        <Assign assigneeUserId={chat.assigneeUserId} isBusy={isBusy} onAssign={onAssign} />
        <div>
          <Button disabled={isBusy} onClick={onGiveBack}>
            Hand back
          </Button>
        </div>
      </div>
    </Panel>
  );
}

interface WriteProps {
  chatId: string;
  /** The text that has not been sent. It outlives the form, which disappears when the bot takes the chat back. */
  draft: RefObject<string>;
}

function Write({ chatId, draft }: WriteProps) {
  const write = useAction();
  const form = useRef<HTMLFormElement>(null);
  const [initial] = useState(draft.current);
  useLayoutEffect(() => {
    const field = textFieldOf(form.current);
    return () => {
      draft.current = field?.value ?? '';
    };
  }, [draft]);
  // The text stays in the field until the API has stored it, so an unsent message never looks sent. A text that was
  // changed in the meantime stays, too.
  const clear = (sent: string | undefined) => {
    const field = textFieldOf(form.current);
    if (field && field.value.trim() === sent) field.value = '';
    if (draft.current.trim() === sent) draft.current = '';
  };
  const send = ({ text }: Record<string, string>) =>
    write.mutate({
      what: 'Message sent',
      method: 'post',
      path: `${chatPath}/messages`,
      names: { chatId },
      body: { text },
      onDone: () => clear(text),
    });
  return (
    <Form form={form} onSend={send}>
      {write.error && <Fault error={write.error} />}
      <Field label="Message" name="text" isLong isRequired defaultValue={initial} />
      <SubmitRow button="Send" disabled={write.isPending} />
    </Form>
  );
}

function textFieldOf(form: HTMLFormElement | null): HTMLTextAreaElement | undefined {
  const field = form?.elements.namedItem('text');
  return field instanceof HTMLTextAreaElement ? field : undefined;
}

interface AssignProps {
  assigneeUserId: string | null;
  isBusy: boolean;
  onAssign: (person: Assignee) => void;
}

function Assign({ assigneeUserId, isBusy, onAssign }: AssignProps) {
  const id = useId();
  const { people } = useMembers();
  const isKnown = people.some(({ userId }) => userId === assigneeUserId);
  const choose = (chosen: string) =>
    onAssign(people.find(({ userId }) => userId === chosen) ?? { userId: null, name: undefined });
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        Assigned to
      </label>
      <select
        id={id}
        className="w-full rounded-md border border-line bg-panel px-3 py-1.5 text-ink"
        value={assigneeUserId ?? ''}
        disabled={isBusy}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="">Unassigned</option>
        {assigneeUserId !== null && !isKnown && <option value={assigneeUserId}>Former member</option>}
        {people.map(({ userId, name }) => (
          <option key={userId} value={userId}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
