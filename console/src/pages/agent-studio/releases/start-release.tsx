import type { Schema } from '@botyard/client/client';
import { useState } from 'react';
import { useAction } from '../../../api/use-action.ts';
import { useList } from '../../../api/use-answer.ts';
import { Button, Choose, Field, Form, SubmitRow } from '../../../parts/controls.tsx';
import { issueAt } from '../../../parts/issue-at.ts';
import { Popup } from '../../../parts/popup.tsx';
import { Fault, Loaded } from '../../../parts/states.tsx';
import { offeredRules } from './release-words.ts';

/** The button that begins a release, with its dialog. */
export function StartRelease({ agentId }: { agentId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="main" onClick={() => setOpen(true)}>
        Release a version …
      </Button>
      <Popup title="Release a version to a share" isOpen={isOpen} onOpen={setOpen}>
        <ReleaseForm agentId={agentId} onDone={() => setOpen(false)} />
      </Popup>
    </>
  );
}

const laterShares = [25, 100];

type Version = Schema<'AgentDefinitionVersion'>;

function ReleaseForm({ agentId, onDone }: { agentId: string; onDone: () => void }) {
  const versions = useList('/api/definitions/agents/{id}/versions', { path: { id: agentId } });
  return (
    <Loaded answer={versions}>
      {(list) => {
        const candidates = list.filter(({ isCurrent, parts }) => !isCurrent && parts !== null);
        return candidates.length === 0 ? (
          <p>
            The agent has no other version yet. Each draft that goes live becomes a version. To try one with a
            share, go live, roll back, and release it here.
          </p>
        ) : (
          <Fields agentId={agentId} candidates={candidates} onDone={onDone} />
        );
      }}
    </Loaded>
  );
}

interface FieldsProps {
  agentId: string;
  candidates: readonly Version[];
  onDone: () => void;
}

function Fields({ agentId, candidates, onDone }: FieldsProps) {
  const [inSteps, setInSteps] = useState(true);
  const start = useAction();
  const { error } = start;
  const send = (fields: Record<string, string>) =>
    start.mutate({
      what: 'The release has started',
      method: 'post',
      path: '/api/definitions/agents/{id}/releases',
      names: { id: agentId },
      body: bodyOf(fields, inSteps),
      onDone,
    });
  return (
    <Form onSend={send}>
      {error && <Fault error={error} />}
      <Field
        label="Version"
        name="version"
        options={candidates.map(({ version, note }) => [
          String(version),
          note ? `Version ${version}: ${note.slice(0, 60)}` : `Version ${version}`,
        ])}
        issue={issueAt(error, 'version')}
      />
      <Choose
        label="Share of new chats"
        value={inSteps ? 'steps' : 'fixed'}
        options={[
          ['steps', 'In steps: 5 %, 25 %, 100 %'],
          ['fixed', 'A fixed share'],
        ]}
        onChoose={(way) => setInSteps(way === 'steps')}
      />
      {inSteps ? (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Finished chats before each step"
            name="minimumSessions"
            type="number"
            defaultValue="100"
            isRequired
            issue={issueAt(error, 'steps', 0, 'minimumSessions')}
          />
          <Field
            label="Hours before each step"
            name="minimumHours"
            type="number"
            defaultValue="24"
            isRequired
            issue={issueAt(error, 'steps', 0, 'minimumHours')}
          />
        </div>
      ) : (
        <Field
          label="Percent"
          name="share"
          type="number"
          defaultValue="5"
          isRequired
          issue={issueAt(error, 'share')}
        />
      )}
      <RuleChoices />
      <SubmitRow button="Start the release" disabled={start.isPending} />
    </Form>
  );
}

function bodyOf(fields: Record<string, string>, inSteps: boolean) {
  const minimums = {
    minimumSessions: Number(fields.minimumSessions),
    minimumHours: Number(fields.minimumHours),
  };
  return {
    version: Number(fields.version),
    share: inSteps ? 5 : Number(fields.share),
    steps: inSteps ? laterShares.map((share) => ({ share, ...minimums })) : [],
    rules: offeredRules
      .filter(({ outcome }) => fields[outcome] === 'on')
      .map(({ outcome, worse }) => ({ outcome, worse })),
  };
}

function RuleChoices() {
  return (
    <>
      <fieldset className="grid gap-1">
        <legend className="mb-1 text-sm font-medium">Withdraw the candidate when its chats …</legend>
        {offeredRules.map(({ outcome, words, isChosenAtFirst }) => (
          <label key={outcome} className="flex min-h-9 items-center gap-2 text-sm">
            <input type="checkbox" name={outcome} defaultChecked={isChosenAtFirst ?? false} /> {words}
          </label>
        ))}
      </fieldset>
      <p className="text-sm text-soft">
        This happens by itself once each version has 30 finished chats. An equal candidate is withdrawn in at
        most 5 % of releases, over all rules together. Only a person makes a candidate live.
      </p>
    </>
  );
}
