import type { Schema } from '@botyard/client/client';
import { useState } from 'react';
import { postAction, useAction } from '../../../api/use-action.ts';
import { useList } from '../../../api/use-answer.ts';
import { Button, Choose, Field, Form, SubmitRow } from '../../../parts/controls.tsx';
import { Popup } from '../../../parts/popup.tsx';
import { Fault, Loaded } from '../../../parts/states.tsx';
import { offeredRules, ruleWords } from './release-words.ts';

/** The draft of an agent, which becomes a version when it is released. */
export interface ReleasableDraft {
  hasChanges: boolean;
  /** Saves edits. Resolves to false if something remains unsaved. */
  flush: () => Promise<boolean>;
  onEnd: () => void;
}

interface StartReleaseProps {
  agentId: string;
  draft: ReleasableDraft;
}

/** The button that begins a release, with its dialog. */
export function StartRelease({ agentId, draft }: StartReleaseProps) {
  const [isOpen, setOpen] = useState(false);
  const open = async () => {
    if (await draft.flush()) setOpen(true);
  };
  return (
    <>
      <Button look="main" onClick={() => void open()}>
        Release a version …
      </Button>
      <Popup title="Release a version to a share" isOpen={isOpen} onOpen={setOpen}>
        <ReleaseForm agentId={agentId} draft={draft} onDone={() => setOpen(false)} />
      </Popup>
    </>
  );
}

const laterShares = [25, 100];

type Version = Schema<'AgentDefinitionVersion'>;

function ReleaseForm({ agentId, draft, onDone }: StartReleaseProps & { onDone: () => void }) {
  const versions = useList('/api/definitions/agents/{id}/versions', { path: { id: agentId } });
  return (
    <Loaded answer={versions}>
      {(list) => {
        const candidates = list.filter(({ isCurrent, parts }) => !isCurrent && parts !== null);
        return candidates.length === 0 && !draft.hasChanges ? (
          <p>The agent has no other version yet. Edit it first: then its draft can be released.</p>
        ) : (
          <Fields agentId={agentId} candidates={candidates} draft={draft} onDone={onDone} />
        );
      }}
    </Loaded>
  );
}

interface FieldsProps extends StartReleaseProps {
  candidates: readonly Version[];
  onDone: () => void;
}

const draftOption = ['draft', 'The draft'] as const;

function Fields({ agentId, candidates, draft, onDone }: FieldsProps) {
  const [inSteps, setInSteps] = useState(true);
  const start = useAction();
  const { error } = start;
  const send = (fields: Record<string, string>) =>
    start.mutate(
      postAction('The release has started', '/api/definitions/agents/{id}/releases', {
        names: { id: agentId },
        body: bodyOf(fields, inSteps),
        onDone: () => {
          if (fields.version === 'draft') draft.onEnd();
          onDone();
        },
      }),
    );
  return (
    <Form error={error} onSend={send}>
      {error && <Fault error={error} />}
      <Field
        label="Version"
        name="version"
        options={[...(draft.hasChanges ? [draftOption] : []), ...candidates.map(optionOf)]}
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
      <ShareFields inSteps={inSteps} />
      <Field
        label="Unsent answers, in percent of the other messages"
        name="shadow"
        type="number"
        defaultValue="0"
        isRequired
        hint="The candidate answers these messages in the background, too. Nothing is sent, and no tool is called. With a fixed share of 0, nobody meets the candidate. It counts as usage."
      />
      <RuleChoices />
      <SubmitRow button="Start the release" disabled={start.isPending} />
    </Form>
  );
}

function ShareFields({ inSteps }: { inSteps: boolean }) {
  return inSteps ? (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label="Finished chats before each step"
        name="minimumSessions"
        type="number"
        defaultValue="100"
        isRequired
        at={['steps', 0, 'minimumSessions']}
      />
      <Field
        label="Hours before each step"
        name="minimumHours"
        type="number"
        defaultValue="24"
        isRequired
        at={['steps', 0, 'minimumHours']}
      />
    </div>
  ) : (
    <Field label="Percent" name="share" type="number" defaultValue="5" isRequired />
  );
}

const optionOf = ({ version, note }: Version) =>
  [String(version), note ? `Version ${version}: ${note.slice(0, 60)}` : `Version ${version}`] as const;

function bodyOf(fields: Record<string, string>, inSteps: boolean) {
  const minimums = {
    minimumSessions: Number(fields.minimumSessions),
    minimumHours: Number(fields.minimumHours),
  };
  return {
    ...(fields.version === 'draft' ? { draft: true } : { version: Number(fields.version) }),
    share: inSteps ? 5 : Number(fields.share),
    shadow: Number(fields.shadow),
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
        {offeredRules.map(({ isChosenAtFirst = false, ...rule }) => (
          <label key={rule.outcome} className="flex min-h-9 items-center gap-2 text-sm">
            <input type="checkbox" name={rule.outcome} defaultChecked={isChosenAtFirst} /> {ruleWords(rule)}
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
