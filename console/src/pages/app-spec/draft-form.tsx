import { type ReactNode, useRef, useState } from 'react';
import { Button, Choose, SubmitRow } from '../../parts/controls.tsx';
import { hasChanges } from '../../parts/editing.tsx';
import { JsonForm } from '../../parts/json-form.tsx';
import { Fault } from '../../parts/states.tsx';
import { SpecAgents, SpecCapabilities } from './agents.tsx';
import { SpecRecordTypes } from './record-types.tsx';
import { SpecRoutes } from './routes.tsx';
import { readSpec, type Spec, withoutBlanks } from './spec.ts';

interface DraftFormProps {
  spec: unknown;
  /** Whether the draft is edited as text. Kept while saved drafts replace the form. */
  isText: boolean;
  onText: (isText: boolean) => void;
  isBusy: boolean;
  onSave: (spec: unknown) => void;
  onCheck: () => void;
  onPublish: () => void;
}

/** Edits an app's draft in forms, or as text. */
export function DraftForm({ spec, isText, onText, isBusy, onSave, onCheck, onPublish }: DraftFormProps) {
  const place = useRef<HTMLDivElement>(null);
  const [draft, setDraft] = useState(spec);
  const [fault, setFault] = useState<Error>();
  const shown = readSpec(draft);
  /** The API checks and publishes the stored draft, so unsaved changes would be left out unseen. */
  const ifSaved = (act: () => void) => () => {
    const isUnsaved = hasChanges(place.current);
    setFault(isUnsaved ? new Error('There are unsaved changes. Save the draft first.') : undefined);
    if (!isUnsaved) act();
  };
  const save = (changed: unknown) => {
    setFault(undefined);
    setDraft(changed);
    onSave(changed);
  };
  const others = (
    <>
      <Button disabled={isBusy} onClick={ifSaved(onCheck)}>
        Check
      </Button>
      <Button disabled={isBusy} onClick={ifSaved(onPublish)}>
        Publish
      </Button>
    </>
  );
  return (
    <div ref={place} className="grid gap-4">
      <span hidden data-changed={draft !== spec} />
      {shown && (
        <div className="max-w-xs" data-changed="false">
          <Choose
            label="Edit"
            value={isText ? 'text' : 'forms'}
            options={[
              ['forms', 'In forms'],
              ['text', 'As JSON'],
            ]}
            onChoose={(how) => (isText ? ifSaved(() => onText(false))() : onText(how === 'text'))}
          />
        </div>
      )}
      {fault && <Fault error={fault} />}
      {isText || !shown ? (
        <JsonForm
          label="Spec"
          hint="Agents, capabilities, routes and record types as one JSON document."
          value={draft}
          button="Save draft"
          isBusy={isBusy}
          onSend={save}
        >
          {others}
        </JsonForm>
      ) : (
        <SpecForm spec={shown} isChanged={draft !== spec} isBusy={isBusy} onChange={setDraft} onSave={save}>
          {others}
        </SpecForm>
      )}
    </div>
  );
}

interface SpecFormProps {
  spec: Spec;
  isChanged: boolean;
  isBusy: boolean;
  onChange: (spec: Spec) => void;
  onSave: (spec: Spec) => void;
  /** Further buttons next to the one that saves. */
  children: ReactNode;
}

function SpecForm({ spec, isChanged, isBusy, onChange, onSave, children }: SpecFormProps) {
  return (
    <form
      className="grid gap-6"
      data-changed={isChanged}
      onSubmit={(event) => {
        event.preventDefault();
        onSave(withoutBlanks(spec));
      }}
    >
      <SpecAgents spec={spec} onChange={onChange} />
      <SpecRoutes spec={spec} onChange={onChange} />
      <SpecRecordTypes spec={spec} onChange={onChange} />
      <SpecCapabilities spec={spec} onChange={onChange} />
      <SubmitRow button="Save draft" disabled={isBusy}>
        {children}
      </SubmitRow>
    </form>
  );
}
