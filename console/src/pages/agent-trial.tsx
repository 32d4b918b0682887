import type { StreamEvent } from '@botyard/client/event-stream';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { api } from '../api/api.ts';
import { Button, Field, Form, Panel, State, SubmitRow } from '../parts/controls.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Json } from '../parts/page.tsx';
import { Fault } from '../parts/states.tsx';
import { count, milliseconds } from '../parts/text.tsx';
import { readDraft } from './agent-editor.tsx';

interface Said {
  /** The position in the list. */
  id: number;
  role: 'user' | 'assistant';
  text: string;
}
interface ToolCall {
  /** The position in the list. */
  id: number;
  name: string;
  arguments: string;
  outcome: string;
}
interface Trace {
  model: string;
  key: { source: string };
  inputTokens: number;
  outputTokens: number;
  durationMs: number;
}
interface Answering {
  text: string;
  tools: ToolCall[];
  trace?: Trace;
  error?: Error;
  isOver?: boolean;
}

const nothing: Answering = { text: '', tools: [] };

const withTool = (now: Answering, call: ToolCall): Answering => ({
  ...now,
  tools: [...now.tools, { ...call, id: now.tools.length }],
});

/** Tests the agent with the form's current values, without a chat. The answer is streamed. */
export function AgentTrial({ agentId, form }: { agentId: string; form: RefObject<HTMLFormElement | null> }) {
  const [said, setSaid] = useState<readonly Said[]>([]);
  const [answering, setAnswering] = useState<Answering>();
  const stop = useRef<AbortController>(null);
  // Without a reader, the answer would only cost tokens.
  useEffect(() => () => stop.current?.abort(), []);
  const isBusy = answering !== undefined && !answering.isOver;

  const change = (to: (now: Answering) => Answering) => setAnswering((now) => to(now ?? nothing));

  /** Handles one event of the trial. @throws Error for an `error` event */
  function take({ type, data }: StreamEvent, asked: readonly Said[]) {
    if (type === 'delta') change((now) => ({ ...now, text: now.text + (data as Said).text }));
    if (type === 'tool') change((now) => withTool(now, data as ToolCall));
    if (type === 'error') throw new Error((data as { error: string }).error);
    if (type !== 'done') return;
    const { text, trace } = data as { text: string; trace: Trace };
    setSaid([...asked, { id: asked.length, role: 'assistant', text }]);
    change((now) => ({ ...now, text: '', trace }));
  }

  async function ask(text: string) {
    const messagesSoFar: Said[] = [...said, { id: said.length, role: 'user', text }];
    const asking = new AbortController();
    stop.current = asking;
    setSaid(messagesSoFar);
    setAnswering(nothing);
    try {
      const messages = messagesSoFar.map(({ role, text: words }) => ({ role, text: words }));
      const body = { messages, ...(form.current ? { draft: readDraft(form.current) } : {}) };
      const path = `/api/agents/${agentId}/try` as const;
      const options = { method: 'POST', body, signal: asking.signal } as const;
      for await (const event of api.stream(path, options)) take(event, messagesSoFar);
    } catch (error) {
      if (!asking.signal.aborted) change((now) => ({ ...now, error: error as Error }));
    }
    change((now) => ({ ...now, isOver: true }));
  }

  return (
    <Panel title="Test the agent">
      <p className="mb-3 text-soft">
        Tests the agent as it is in the form, saved or not. Only its usage is recorded. External tools are not
        called.
      </p>
      <div role="log" aria-label="Trial" className="mb-3 grid gap-2">
        {said.map(({ id, role, text }) => (
          <Line key={id} who={role === 'user' ? 'You' : 'Agent'} text={text} />
        ))}
        {answering?.text && <Line who="Agent" text={answering.text} />}
      </div>
      {answering && <HowItWent answering={answering} />}
      <Form onSend={({ message = '' }) => message !== '' && !isBusy && void ask(message)}>
        <Field label="Message" name="message" isRequired />
        <SubmitRow button="Ask the agent" disabled={isBusy}>
          {isBusy ? (
            <Button onClick={() => stop.current?.abort()}>Stop</Button>
          ) : (
            <Button
              onClick={() => {
                setSaid([]);
                setAnswering(undefined);
              }}
            >
              Start over
            </Button>
          )}
        </SubmitRow>
      </Form>
    </Panel>
  );
}

function Line({ who, text }: { who: string; text: string }) {
  return (
    <div>
      <p className="text-sm text-soft">{who}</p>
      <p dir="auto" className="whitespace-pre-wrap break-words">
        {who === 'Agent' ? <Markdown text={text} /> : text}
      </p>
    </div>
  );
}

function HowItWent({ answering: { tools, trace, error } }: { answering: Answering }) {
  return (
    <div className="mb-3 grid gap-2">
      {tools.map(({ id, name, arguments: given, outcome }) => (
        <p key={id} className="text-sm break-words">
          <span className="font-mono">
            {name} {given}
          </span>{' '}
          <State word={outcome} />
        </p>
      ))}
      {error && <Fault error={error} />}
      {trace && (
        <details className="text-sm">
          <summary>
            {trace.model} · key: {trace.key.source} · {count(trace.inputTokens)} input tokens,{' '}
            {count(trace.outputTokens)} output tokens · {milliseconds(trace.durationMs)}
          </summary>
          <Json value={trace} />
        </details>
      )}
    </div>
  );
}
