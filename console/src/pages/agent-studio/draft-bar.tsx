import { ApiError } from '@botyard/client/api-error';
import { useState } from 'react';
import { type Action, deleteAction, postAction, putAction, useAction } from '../../api/use-action.ts';
import { Button, Field, Form, SubmitRow } from '../../parts/controls.tsx';
import { Popup } from '../../parts/popup.tsx';
import { Fault } from '../../parts/states.tsx';
import { Changes, titleOf } from './changes.tsx';
import type { Definition, Draft, useEdits } from './use-draft.ts';

interface DraftBarProps {
  agent: Definition;
  draft: Draft | undefined;
  edits: ReturnType<typeof useEdits>;
  /** Called once the draft is live or discarded, before anything is fetched anew. */
  onEnd: () => void;
}

/** Tells what is live and what is only drafted, and has the two buttons that end a draft. */
export function DraftBar({ agent, draft, edits, onEnd }: DraftBarProps) {
  const [isOpen, setOpen] = useState(false);
  const discard = useAction();
  const path = '/api/definitions/agents/{id}/draft';
  const names = { id: agent.id };
  const changed = draft?.changed ?? [];
  const isBehind = draft !== undefined && draft.base !== agent.version;
  const end = () => {
    setOpen(false);
    onEnd();
  };
  const drop = async () => {
    if (!window.confirm('Discard the draft? What is live stays as it is.')) return;
    // An edit that is being saved would bring the draft back.
    await edits.flush();
    discard.mutate({ ...deleteAction('Draft discarded', path, names), onDone: end });
  };
  const open = async () => {
    if (await edits.flush()) setOpen(true);
  };
  return (
    <div className="sticky top-0 z-20 grid gap-2 rounded-xl border border-line bg-panel px-4 py-2.5">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="min-w-0 text-sm">
          <span className="font-medium">Version {agent.version} is live.</span>{' '}
          <span className="text-soft">{summaryOf(changed.map(titleOf))}</span>
        </p>
        <div className="flex flex-wrap items-center gap-2">
          <span role="status" className={`text-sm ${edits.state === 'failed' ? 'text-bad' : 'text-soft'}`}>
            {draft || edits.state !== 'saved' ? words[edits.state] : ''}
          </span>
          {draft && (
            <>
              <Button look="quiet" disabled={discard.isPending} onClick={() => void drop()}>
                Discard draft
              </Button>
              <Button look="main" disabled={changed.length === 0} onClick={() => void open()}>
                Go live
              </Button>
            </>
          )}
        </div>
      </div>
      {edits.error && <Fault error={edits.error} retry={() => void edits.flush()} />}
      {isBehind && draft && <Behind agent={agent} draft={draft} />}
      {draft && (
        <Popup title="Go live with the draft" isOpen={isOpen} onOpen={setOpen}>
          <GoLive agent={agent} draft={draft} onEnd={end} />
        </Popup>
      )}
    </div>
  );
}

const words = {
  saved: 'Draft saved',
  saving: 'Saving …',
  unsaved: 'Saving …',
  failed: 'Not saved',
} as const;

const summaryOf = (fields: readonly string[]): string =>
  fields.length === 0
    ? 'Edits are saved as a draft. People get them once they go live.'
    : `The draft changes ${fields.join(', ')}.`;

/** The draft began at a version that isn't live any more. */
function Behind({ agent, draft }: { agent: Definition; draft: Draft }) {
  const keep = useAction();
  const action: Action = putAction('Draft kept', '/api/definitions/agents/{id}/draft', {
    names: { id: agent.id },
    body: { base: agent.version },
  });
  return (
    <div className="flex flex-wrap items-center gap-3 text-sm">
      <p className="text-warn">
        Version {agent.version} went live after this draft was begun from version {draft.base}. Fields that
        you didn't change show what is live now.
      </p>
      <Button disabled={keep.isPending} onClick={() => keep.mutate(action)}>
        Keep my draft
      </Button>
    </div>
  );
}

function GoLive({ agent, draft, onEnd }: Pick<DraftBarProps, 'agent' | 'onEnd'> & { draft: Draft }) {
  const goLive = useAction();
  const { error } = goLive;
  const isRefused = error instanceof ApiError && error.status === 409 && error.issues.length > 0;
  const send = ({ note, overrideReason }: Record<string, string>) =>
    goLive.mutate(
      postAction('The draft is live', '/api/definitions/agents/{id}/draft/go-live', {
        names: { id: agent.id },
        body: { ...(note ? { note } : {}), ...(overrideReason ? { overrideReason } : {}) },
        onDone: onEnd,
      }),
    );
  return (
    <>
      <Changes changed={draft.changed} before={agent} after={draft} />
      {error && <Fault error={error} />}
      <Form onSend={send}>
        <Field label="Note" name="note" rows={2} hint="What changes and why. It stays with the version." />
        {isRefused && (
          <Field
            label="Reason to go live anyway"
            name="overrideReason"
            hint="The version keeps it. Without one, the tests have to pass first."
          />
        )}
        <SubmitRow button="Go live now" disabled={goLive.isPending} />
      </Form>
    </>
  );
}
