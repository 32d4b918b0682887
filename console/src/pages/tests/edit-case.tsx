import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, Choose, IconButton } from '../../parts/controls.tsx';
import { Words } from '../../parts/words.tsx';
import type { EditedCase } from './case-draft.ts';
import { EditAssertions } from './edit-assertions.tsx';

interface EditCaseProps {
  value: EditedCase;
  onChange: (value: EditedCase) => void;
  /** The words beneath a field, by its place such as `messages.0.text`. */
  noteAt?: (place: string, text: string) => ReactNode;
  /** Places that are filled in by hand. */
  missing?: ReadonlySet<string>;
}

const roles = [
  ['user', 'Person'],
  ['assistant', 'Agent, earlier'],
] as const;
const outcomes = [
  ['ok', 'It gave a result'],
  ['failed', 'It failed'],
  ['refused', 'It was refused'],
  ['waiting', 'It waits for an approval'],
] as const;

/** The fields of a case. */
export function EditCase({ value, onChange, noteAt = () => null, missing = new Set() }: EditCaseProps) {
  const change = (part: Partial<EditedCase>) => onChange({ ...value, ...part });
  return (
    <div className="grid gap-5">
      <div className="grid gap-2">
        <Words label="Name of the case" value={value.name} rows={1} onChange={(name) => change({ name })} />
        {noteAt('name', value.name)}
      </div>
      <EditList
        title="Conversation"
        about="The agent answers the last message."
        items={value.messages}
        added={{ role: 'user' as const, text: '' }}
        button="Add a message"
        onChange={(messages) => change({ messages })}
      >
        {(message, at, set) => (
          <>
            <Choose
              label={`Author of message ${at + 1}`}
              value={message.role}
              options={roles}
              onChoose={(role) => set({ ...message, role: role === 'assistant' ? 'assistant' : 'user' })}
            />
            <Words
              label={`Message ${at + 1}`}
              value={message.text}
              onChange={(text) => set({ ...message, text })}
            />
            {noteAt(`messages.${at}.text`, message.text)}
          </>
        )}
      </EditList>
      <EditCalls value={value} onChange={onChange} noteAt={noteAt} missing={missing} />
      <EditList
        title="Passages of documents"
        about="A search in documents finds these, whatever its words are."
        items={value.passages}
        added={{ title: '', text: '' }}
        button="Add a passage"
        onChange={(passages) => change({ passages })}
      >
        {(passage, at, set) => (
          <>
            <Words
              label={`Title ${at + 1}`}
              value={passage.title}
              rows={1}
              onChange={(title) => set({ ...passage, title })}
            />
            <Words
              label={`Passage ${at + 1}`}
              value={passage.text}
              onChange={(text) => set({ ...passage, text })}
            />
          </>
        )}
      </EditList>
      <EditAssertions assertions={value.assertions} onChange={(assertions) => change({ assertions })} />
    </div>
  );
}

function EditCalls({ value, onChange, noteAt, missing }: Required<EditCaseProps>) {
  const isMissing = (place: string) => missing.has(place);
  return (
    <EditList
      title="Recorded calls of tools"
      about="A test calls no tool: these results answer instead."
      items={value.tools}
      added={{ name: '', arguments: '{}', outcome: 'ok' as const, result: '' }}
      button="Add a call"
      onChange={(tools) => onChange({ ...value, tools })}
    >
      {(call, at, set) => (
        <>
          <Words
            label={`Tool ${at + 1}`}
            value={call.name}
            rows={1}
            onChange={(name) => set({ ...call, name })}
          />
          <Words
            label={`Arguments of call ${at + 1}`}
            value={call.arguments}
            isCode
            isMissing={isMissing(`recording.tools.${at}.arguments`)}
            onChange={(text) => set({ ...call, arguments: text })}
          />
          {noteAt(`recording.tools.${at}.arguments`, call.arguments)}
          <Choose
            label={`Outcome of call ${at + 1}`}
            value={call.outcome}
            options={outcomes}
            onChoose={(outcome) => set({ ...call, outcome: (outcome ?? 'ok') as typeof call.outcome })}
          />
          <Words
            label={`Result of call ${at + 1}`}
            value={call.result}
            isMissing={isMissing(`recording.tools.${at}.result`)}
            onChange={(result) => set({ ...call, result })}
          />
          {noteAt(`recording.tools.${at}.result`, call.result)}
        </>
      )}
    </EditList>
  );
}

interface EditListProps<Item> {
  title: string;
  about: string;
  items: readonly Item[];
  added: Item;
  button: string;
  onChange: (items: Item[]) => void;
  children: (item: Item, at: number, set: (item: Item) => void) => ReactNode;
}

function EditList<Item>({ title, about, items, added, button, onChange, children }: EditListProps<Item>) {
  return (
    <section aria-label={title} className="grid gap-3">
      <h3 className="font-semibold">{title}</h3>
      <p className="text-sm text-soft">{about}</p>
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity, and their fields hold no state
        <div key={at} className="grid gap-2 rounded-lg border border-line p-3">
          {children(item, at, (changed) =>
            onChange(items.map((one, index) => (index === at ? changed : one))),
          )}
          <div className="justify-self-end">
            <IconButton
              icon={Trash2}
              label={`Remove ${at + 1} of ${title}`}
              onClick={() => onChange(items.filter((_, index) => index !== at))}
            />
          </div>
        </div>
      ))}
      <div>
        <Button icon={Plus} onClick={() => onChange([...items, added])}>
          {button}
        </Button>
      </div>
    </section>
  );
}
