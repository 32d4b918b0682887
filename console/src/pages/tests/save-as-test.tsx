import type { Answer, Schema } from '@botyard/client/client';
import { useEffect, useState } from 'react';
import { api } from '../../api/api.ts';
import { postAction, useAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-answer.ts';
import { Button, Choose } from '../../parts/controls.tsx';
import { Popup } from '../../parts/popup.tsx';
import { Fault, Skeleton } from '../../parts/states.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { Words } from '../../parts/words.tsx';
import { type EditedCase, toBody, toEdited } from './case-draft.ts';
import { EditCase } from './edit-case.tsx';
import { MarkedWords } from './marked-words.tsx';

type Draft = Schema<'EvaluationCaseDraft'>;

interface Source {
  chatId: string;
  messageId: string;
}

/** The dialog that makes a test case of an answer. */
export function SaveAsTest({ onClose, ...source }: Source & { onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>();
  const [error, setError] = useState<Error>();
  const [setId, setSetId] = useState<string>();
  const { chatId, messageId } = source;
  useEffect(() => {
    api.post('/api/evaluations/drafts', { body: { chatId, messageId } }).then(setDraft, setError);
  }, [chatId, messageId]);
  return (
    <Popup title="Save as a test" isOpen onOpen={onClose}>
      {setId !== undefined ? (
        <Saved setId={setId} />
      ) : error ? (
        <Fault error={error} />
      ) : draft ? (
        <Confirm draft={draft} onSaved={setSetId} />
      ) : (
        <Skeleton />
      )}
    </Popup>
  );
}

const Saved = ({ setId }: { setId: string }) => (
  <p role="status">
    The test is saved.{' '}
    <TextLink to="/tests/$setId" params={{ setId }}>
      Open its set
    </TextLink>
  </p>
);

function Confirm({ draft, onSaved }: { draft: Draft; onSaved: (setId: string) => void }) {
  const [edited, edit] = useState<EditedCase>(() => toEdited(draft));
  const [chosen, choose] = useState<string>();
  const [newName, setNewName] = useState('Tests of real chats');
  const [isConfirmed, confirm] = useState(false);
  const [fault, setFault] = useState<Error>();
  const sets = useList('/api/evaluations/sets', { query: { limit: 100 } });
  const ofAgent = (sets.data ?? []).filter(({ agentId }) => agentId === draft.agentId);
  const setId = chosen ?? ofAgent[0]?.setId ?? 'new';
  const createSet = useAction<Answer<'/api/evaluations/sets/{setId}'>>();
  const createCase = useAction();
  const save = async () => {
    setFault(undefined);
    try {
      const body = toBody(edited);
      const inSet = setId === 'new' ? await newSet() : setId;
      await createCase.mutateAsync(
        postAction('Test saved', '/api/evaluations/sets/{setId}/cases', { names: { setId: inSet }, body }),
      );
      onSaved(inSet);
    } catch (error) {
      setFault(error as Error);
    }
  };
  const newSet = async () => {
    const made = await createSet.mutateAsync(
      postAction('Set created', '/api/evaluations/sets', { body: { name: newName, agentId: draft.agentId } }),
    );
    choose(made.setId);
    return made.setId;
  };
  const replaced = draft.replaced.map(({ placeholder }) => placeholder);
  const doubtful = draft.doubtful.map(({ text }) => text);
  const isNoted = (text: string) => [...replaced, ...doubtful].some((word) => text.includes(word));
  if (!sets.data) return sets.error ? <Fault error={sets.error} /> : <Skeleton />;
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Choose
          label="Set"
          value={setId}
          options={[...ofAgent.map((set) => [set.setId, set.name] as const), ['new', 'A new set …']]}
          onChoose={(id) => choose(id)}
        />
        {setId === 'new' && (
          <Words label="Name of the new set" value={newName} rows={1} onChange={setNewName} />
        )}
      </div>
      <Replacements draft={draft} />
      <EditCase
        value={edited}
        onChange={edit}
        missing={new Set(draft.missing.map(({ place }) => place))}
        noteAt={(_place, text) =>
          isNoted(text) && <MarkedWords text={text} replaced={replaced} doubtful={doubtful} />
        }
      />
      <label className="flex items-start gap-2 text-sm">
        <input
          type="checkbox"
          className="mt-1 size-4"
          checked={isConfirmed}
          onChange={({ target }) => confirm(target.checked)}
        />
        I have read the texts: nothing personal is left in them.
      </label>
      {fault && <Fault error={fault} />}
      <div>
        <Button
          look="main"
          disabled={!isConfirmed || createSet.isPending || createCase.isPending}
          onClick={() => void save()}
        >
          Save the test
        </Button>
      </div>
    </>
  );
}

/** All that was replaced, and what has to be looked at. */
function Replacements({ draft: { replaced, doubtful, missing } }: { draft: Draft }) {
  return (
    <section aria-label="Personal data" className="grid gap-2 rounded-lg border border-line p-3 text-sm">
      <p>
        {replaced.length === 0
          ? 'Nothing personal was found that the records know or that has a form.'
          : 'These texts were replaced everywhere:'}
      </p>
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {replaced.map(({ kind, original, placeholder }) => (
          <li key={`${kind} ${original}`} className="[overflow-wrap:anywhere]">
            <bdi>{original}</bdi> →{' '}
            <mark className="rounded bg-good-tint px-0.5 text-good">{placeholder}</mark>
          </li>
        ))}
      </ul>
      {doubtful.length > 0 && (
        <p className="text-warn">
          Look at these yourself: {doubtful.map(({ text, reason }) => `${text} (${reason})`).join(', ')}
        </p>
      )}
      {missing.length > 0 && (
        <p className="text-warn">
          Not kept whole: {[...new Set(missing.map(({ tool }) => tool || 'a part'))].join(', ')}. Fill in the
          marked fields.
        </p>
      )}
    </section>
  );
}
