import type { Schema } from '@botyard/client/client';
import { useAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-answer.ts';
import { Field, Form, SubmitRow } from '../../parts/controls.tsx';
import { issueAt } from '../../parts/issue-at.ts';
import { Fault } from '../../parts/states.tsx';
import { UploadDocument } from '../upload-document.tsx';

/** The tool with which the agent searches all documents of the tenant. */
const toolName = 'search_knowledge';

interface KnowledgeProps {
  agent: Schema<'AgentDefinition'>;
  onAdded: () => void;
}

/** A text or a file becomes a document, and the agent may search the documents. */
export function Knowledge({ agent, onAdded }: KnowledgeProps) {
  const tools = useList('/api/definitions/tools', { query: { limit: 500 } });
  const add = useAction();
  const give = useAction<{ id: string }>();
  const giveTool = async () => {
    const stored = tools.data?.find(({ name }) => name === toolName)?.id;
    const toolId = stored ?? (await createTool()).id;
    if (!agent.toolIds.includes(toolId))
      await give.mutateAsync({
        what: 'Knowledge added',
        method: 'put',
        path: '/api/definitions/agents/{id}',
        names: { id: agent.id },
        body: { toolIds: [...agent.toolIds, toolId] },
      });
    onAdded();
  };
  const createTool = () =>
    give.mutateAsync({
      what: 'Tool created',
      method: 'post',
      path: '/api/definitions/tools',
      body: { name: toolName, kind: 'search_context', settings: {} },
    });
  const send = async ({ title, text }: Record<string, string>) => {
    await add.mutateAsync({
      what: 'Document added',
      method: 'post',
      path: '/api/context-sources',
      body: { title, text },
    });
    await giveTool();
  };
  const quietly = (doing: Promise<void>) => void doing.catch(() => undefined);
  const isBusy = add.isPending || give.isPending || tools.data === undefined;
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <div>
        {(add.error ?? give.error) && <Fault error={(add.error ?? give.error)!} />}
        <Form onSend={(fields) => quietly(send(fields))}>
          <Field label="Title" name="title" isRequired issue={issueAt(add.error, 'title')} />
          <Field
            label="Text"
            name="text"
            isLong
            isRequired
            hint="Such as opening hours, prices, or answers to frequent questions."
            issue={issueAt(add.error, 'text')}
          />
          <SubmitRow button="Add text" disabled={isBusy} />
        </Form>
      </div>
      <UploadDocument onUploaded={() => quietly(giveTool())} />
    </div>
  );
}
