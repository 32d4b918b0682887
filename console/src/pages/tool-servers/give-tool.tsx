import type { Schema } from '@botyard/client/client';
import { postAction, putAction, useAction } from '../../api/use-action.ts';
import { useList } from '../../api/use-answer.ts';
import { Field, Form, SubmitRow } from '../../parts/controls.tsx';
import { Fault, Loaded } from '../../parts/states.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { callableName, type ServerTool, type ToolServer, toolkitOf } from './server-words.ts';

type Tool = Schema<'ToolDefinition'>;

const path = '/api/definitions/tools';

interface GiveToolProps {
  server: ToolServer;
  tool: ServerTool;
}

/** Makes an allowed tool one of the tenant's tools, with the rule that its calls need, or shows where it is one. */
export function GiveTool({ server, tool }: GiveToolProps) {
  const definitions = useList(path, { query: { limit: 500 } });
  const toolkit = toolkitOf(server);
  return (
    <section aria-label="For agents" className="grid gap-3 border-t border-line pt-4">
      <h3 className="font-semibold">For agents</h3>
      <Loaded answer={definitions}>
        {(tools) => {
          const mine = tools.filter(
            ({ settings }) => settings.toolkit === toolkit && settings.tool === tool.name,
          );
          return mine.length > 0 ? <Given tools={mine} /> : <Give toolkit={toolkit} tool={tool} />;
        }}
      </Loaded>
    </section>
  );
}

const Given = ({ tools }: { tools: readonly Tool[] }) => (
  <>
    <ul className="text-sm">
      {tools.map(({ id, name }) => (
        <li key={id}>
          <TextLink to="/agents/tools/$toolId" params={{ toolId: id }}>
            {name}
          </TextLink>
        </li>
      ))}
    </ul>
    <p className="text-sm text-soft">
      It is one of your tools. <TextLink to="/agents">Choose an agent</TextLink> and add it there. Then ask
      the agent in a chat of its bot; a call that needs an approval waits under Approvals.
    </p>
  </>
);

function Give({ toolkit, tool }: { toolkit: string; tool: ServerTool }) {
  const create = useAction<Tool>();
  const rule = useAction();
  const send = async ({ name, description, effect }: Record<string, string>) => {
    if (effect !== '')
      await rule.mutateAsync(
        putAction('Rule saved', '/api/integrations/access-rules', {
          body: { effect, toolkit, tool: tool.name },
        }),
      );
    const settings = { toolkit, tool: tool.name };
    const body = { kind: 'external', name, description, settings };
    await create.mutateAsync(postAction('Tool created', path, { body }));
  };
  const error = create.error ?? rule.error;
  return (
    <Form error={error} onSend={(fields) => void send(fields).catch(() => undefined)}>
      {error && <Fault error={error} />}
      <Field
        label="Name for the model"
        name="name"
        isRequired
        isCode
        hint="Use letters, digits, _ and -."
        defaultValue={callableName(tool.name)}
      />
      <Field
        label="Description for the model"
        name="description"
        isRequired
        rows={3}
        hint="Your words, not the server's."
        defaultValue={tool.title ?? ''}
      />
      <Field
        label="Calls"
        name="effect"
        options={[
          ['approval', 'Each call needs an approval'],
          ...(tool.readsOnly ? [['allow', 'Calls are made at once, for everybody'] as const] : []),
          ['', 'As the rules that exist say'],
        ]}
      />
      <SubmitRow button="Add to your tools" disabled={create.isPending || rule.isPending} />
    </Form>
  );
}
