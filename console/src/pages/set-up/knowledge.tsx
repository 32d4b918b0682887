import type { Schema } from '@botyard/client/client';
import { postAction, useAction } from '../../api/use-action.ts';
import { Field, Form, Panel, SubmitRow } from '../../parts/controls.tsx';
import { Fault } from '../../parts/states.tsx';
import { UploadForm } from '../upload-document.tsx';
import { useDocumentSearch } from '../use-document-search.ts';

interface KnowledgeProps {
  agent: Schema<'AgentDefinition'>;
  onAdded: () => void;
}

/** A text or a file becomes a document, and the agent may search the documents. */
export function Knowledge({ agent, onAdded }: KnowledgeProps) {
  const search = useDocumentSearch();
  const add = useAction();
  const giveTool = async () => {
    await search.giveTo(agent);
    onAdded();
  };
  const send = async ({ title, text }: Record<string, string>) => {
    await add.mutateAsync(postAction('Document added', '/api/context-sources', { body: { title, text } }));
    await giveTool();
  };
  const quietly = (doing: Promise<void>) => void doing.catch(() => undefined);
  const isBusy = add.isPending || search.isBusy || !search.isReady;
  const error = add.error ?? search.error;
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <div>
        {error && <Fault error={error} />}
        <Form error={add.error} onSend={(fields) => quietly(send(fields))}>
          <Field label="Title" name="title" isRequired />
          <Field
            label="Text"
            name="text"
            isLong
            isRequired
            hint="Such as opening hours, prices, or answers to frequent questions."
          />
          <SubmitRow button="Add text" disabled={isBusy} />
        </Form>
      </div>
      <Panel title="Upload a document">
        <UploadForm onUploaded={() => quietly(giveTool())} />
      </Panel>
    </div>
  );
}
