import type { Schema } from '@botyard/client/client';
import { providerNames } from '@botyard/contracts/providers';
import { useState } from 'react';
import { useMayChange } from '../../api/acting.tsx';
import { putAction, useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Button, Field, Form, SubmitRow } from '../../parts/controls.tsx';
import { Popup } from '../../parts/popup.tsx';
import { Fault } from '../../parts/states.tsx';

type TestSet = Schema<'EvaluationSet'>;

const path = '/api/evaluations/sets/{setId}';

/** The settings of a set with this judge. It keeps whether its agent requires it. */
const withJudge = ({ name, agentId, documents, mayUsePlatformKey }: TestSet, judge: object | null) => ({
  name,
  agentId,
  documents,
  mayUsePlatformKey,
  judge,
});

/** A button that opens the form of the set's judge. */
export function EditJudge({ set }: { set: TestSet }) {
  const [isOpen, setOpen] = useState(false);
  if (!useMayChange()) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{set.judge ? 'Judge …' : 'Add a judge …'}</Button>
      <Popup title="Judge" isOpen={isOpen} onOpen={setOpen}>
        <p className="text-sm text-soft">
          A model that reads the words of each answer and says whether they fulfil the rubric. It doesn't see
          the checks of a case. Each reading costs a call of the model.
        </p>
        <JudgeForm set={set} onDone={() => setOpen(false)} />
      </Popup>
    </>
  );
}

function JudgeForm({ set, onDone }: { set: TestSet; onDone: () => void }) {
  const { setId, judge } = set;
  const save = useAction();
  const { error } = save;
  const send = ({ rubric, provider, model, repeats }: Record<string, string>) =>
    save.mutate(
      putAction('Judge saved', path, {
        names: { setId },
        body: withJudge(set, { rubric, provider, model, repeats: Number(repeats) }),
      }),
      { onSuccess: onDone },
    );
  return (
    <>
      {error && <Fault error={error} />}
      <Form error={error} onSend={send}>
        <Field
          label="Rubric"
          name="rubric"
          hint="What makes an answer good, in plain words. The clearer it is, the more the judge agrees with you."
          placeholder="The answer names a time of delivery, and promises nothing else."
          rows={5}
          isRequired
          defaultValue={judge?.rubric ?? ''}
          at={['judge', 'rubric']}
        />
        <JudgeModel set={set} />
        <Field
          label="Readings of each answer"
          name="repeats"
          hint="1 to 9. The answer passes if more than half of them say so. A reading without a verdict counts for neither side."
          choices={['1', '2', '3', '4', '5', '6', '7', '8', '9']}
          defaultValue={String(judge?.repeats ?? 3)}
          at={['judge', 'repeats']}
        />
        <SubmitRow button="Save the judge" disabled={save.isPending}>
          {judge && (
            <ActButton
              look="bad"
              action={putAction('Judge removed', path, { names: { setId }, body: withJudge(set, null) })}
              onDone={onDone}
            >
              Remove the judge
            </ActButton>
          )}
        </SubmitRow>
      </Form>
    </>
  );
}

function JudgeModel({ set: { agentId, judge } }: { set: TestSet }) {
  const [provider, choose] = useState<string>(judge?.provider ?? 'private-llm');
  const listed = useAnswer('/api/agents/models/{provider}', {
    path: { provider: provider as (typeof providerNames)[number] },
    query: { agentId },
  });
  const { models, problem } = listed.data ?? { models: [], problem: null };
  return (
    <div
      className="grid gap-4"
      onInput={({ target }) => {
        const { name, value } = target as HTMLInputElement;
        if (name === 'provider') choose(value);
      }}
    >
      <Field
        label="Provider"
        name="provider"
        choices={providerNames}
        defaultValue={provider}
        warning={problem ? `${provider}: ${problem}.` : undefined}
        at={['judge', 'provider']}
      />
      <Field
        label="Model"
        name="model"
        hint="Better another one than the agent's: models prefer their own words."
        suggestions={models}
        isRequired
        defaultValue={judge?.model ?? ''}
        at={['judge', 'model']}
      />
    </div>
  );
}
