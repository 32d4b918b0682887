import { useState } from 'react';
import { putAction, useAction } from '../../api/use-action.ts';
import { Button, Form, State, SubmitRow } from '../../parts/controls.tsx';
import { Popup } from '../../parts/popup.tsx';
import { Fault } from '../../parts/states.tsx';
import { GiveTool } from './give-tool.tsx';
import { type ServerTool, serversPath, type ToolServer, toolStateMeanings } from './server-words.ts';
import { Differences } from './tool-differences.tsx';
import { TryTool } from './try-tool.tsx';

interface ReviewToolProps {
  server: ToolServer;
  /** The tool that is open; `undefined`: none. */
  tool: ServerTool | undefined;
  onClose: () => void;
}

/** Shows a tool as its server defines it, and takes the decision about exactly that definition. */
export function ReviewTool({ server, tool, onClose }: ReviewToolProps) {
  return (
    <Popup title={tool?.name ?? 'Tool'} isOpen={tool !== undefined} onOpen={(isOpen) => !isOpen && onClose()}>
      {tool && <Review key={tool.pin} server={server} tool={tool} />}
    </Popup>
  );
}

function Review({ server, tool }: { server: ToolServer; tool: ServerTool }) {
  return (
    <>
      <p className="text-sm">
        <State word={tool.state} /> {tool.refusal ?? toolStateMeanings[tool.state]}
      </p>
      {tool.difference ? <Differences tool={tool} /> : <Described tool={tool} />}
      {tool.state !== 'refused' && <Decision serverId={server.serverId} tool={tool} />}
      {tool.state === 'allowed' && (
        <>
          <TryTool serverId={server.serverId} tool={tool} />
          <GiveTool server={server} tool={tool} />
        </>
      )}
    </>
  );
}

function Described({ tool: { title, description } }: { tool: ServerTool }) {
  return (
    <div className="grid gap-1 text-sm">
      {title && <bdi className="font-medium">{title}</bdi>}
      {description && (
        <p dir="auto" className="break-words whitespace-pre-wrap">
          {description}
        </p>
      )}
    </div>
  );
}

/** The admin's choice. The server's annotations decide nothing, so they tick nothing. */
function Decision({ serverId, tool }: { serverId: string; tool: ServerTool }) {
  const { name, pin, state, readsOnly, repeatable } = tool;
  const decide = useAction<ServerTool>();
  const [choice, choose] = useState({ readsOnly, repeatable });
  const isAllowed = state === 'allowed';
  const send = (body: object, what: string) =>
    decide.mutate(
      putAction(what, `${serversPath}/{serverId}/tools/{name}`, {
        names: { serverId, name },
        body: { ...choice, ...body, pin },
      }),
    );
  return (
    <Form onSend={() => send({ isAllowed: true }, 'Tool allowed')}>
      {decide.error && <Fault error={decide.error} />}
      <Tick
        label="It only reads"
        hint="Rules can then allow it without an approval of each call."
        isTicked={choice.readsOnly}
        onTick={(ticked) => choose((now) => ({ ...now, readsOnly: ticked }))}
      />
      <Tick
        label="A call may be repeated"
        hint="After a broken connection it is made again. Only for tools where twice does no harm."
        isTicked={choice.repeatable}
        onTick={(ticked) => choose((now) => ({ ...now, repeatable: ticked }))}
      />
      <SubmitRow
        button={isAllowed ? 'Save the decision' : 'Allow this definition'}
        disabled={decide.isPending}
      >
        {isAllowed && (
          <Button
            look="bad"
            disabled={decide.isPending}
            onClick={() => send({ isAllowed: false }, 'Tool no longer allowed')}
          >
            Stop allowing
          </Button>
        )}
      </SubmitRow>
    </Form>
  );
}

interface TickProps {
  label: string;
  hint: string;
  isTicked: boolean;
  onTick: (isTicked: boolean) => void;
}

const Tick = ({ label, hint, isTicked, onTick }: TickProps) => (
  <label className="flex items-start gap-2 text-sm">
    <input
      type="checkbox"
      aria-label={label}
      className="mt-1"
      checked={isTicked}
      onChange={({ target }) => onTick(target.checked)}
    />
    <span>
      <span className="font-medium">{label}</span>
      <span className="block text-soft">{hint}</span>
    </span>
  </label>
);
