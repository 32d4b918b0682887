import { RotateCcw } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Choices } from '../../parts/choices.tsx';
import { Button, Field, Form, IconButton, SubmitRow } from '../../parts/controls.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Fault } from '../../parts/states.tsx';
import { TrialSteps } from './trial-steps.tsx';
import { useTrial } from './use-trial.ts';

interface TrialProps {
  agentId: string;
  /** The first message to try. */
  question?: string | undefined;
  /** Returns the fields that replace those of the stored definition; `null` or omitted: none. */
  readContent?: () => object | null;
}

/** Tests the agent as it is edited, without a chat. The answer is streamed, with its steps. */
export function Trial({ agentId, question = '', readContent }: TrialProps) {
  const { said, answering, isBusy, ask, stop, startOver } = useTrial(agentId, readContent);
  const form = useRef<HTMLFormElement>(null);
  const log = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the newest line is shown whenever a line changes.
  useEffect(() => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [said, answering]);
  const send = ({ message = '' }: Record<string, string>) => {
    if (message === '' || isBusy) return;
    ask(message);
    form.current?.reset();
  };
  return (
    <section
      aria-labelledby="trial-title"
      className="flex min-h-0 flex-col rounded-xl border border-line bg-panel p-4 md:p-5"
    >
      <h2 id="trial-title" className="mb-2 text-lg font-semibold">
        Test the agent
      </h2>
      <p className="mb-3 text-sm text-soft">
        {readContent ? 'Tests the draft, also what is not saved yet.' : 'Tests the agent.'} Only its usage is
        recorded. External tools are not called.
      </p>
      <div
        ref={log}
        role="log"
        aria-label="Trial"
        className="mb-3 grid min-h-0 flex-1 content-start gap-3 overflow-auto"
      >
        {said.map(({ id, role, text, choices, trace }) =>
          role === 'user' ? (
            <Question key={id} text={text} onRepeat={isBusy ? undefined : () => ask(text, id)} />
          ) : (
            <Reply key={id} text={text}>
              {choices && (
                <Choices texts={choices} onPress={id === said.length - 1 && !isBusy ? ask : undefined} />
              )}
              {trace && <TrialSteps trace={trace} />}
            </Reply>
          ),
        )}
        {answering && (
          <Reply text={answering.text} isWriting={isBusy}>
            {answering.tools.map(({ name, outcome }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: calls are only added.
              <p key={index} className="text-sm text-soft">
                {name}: {outcome}
              </p>
            ))}
            {answering.error && <Fault error={answering.error} />}
          </Reply>
        )}
      </div>
      <Form onSend={send} form={form}>
        <Field
          label="Message"
          name="message"
          isRequired
          rows={2}
          defaultValue={said.length === 0 ? question : ''}
        />
        <SubmitRow button="Ask the agent" disabled={isBusy}>
          {isBusy ? (
            <Button onClick={stop}>Stop</Button>
          ) : (
            said.length > 0 && <Button onClick={startOver}>Start over</Button>
          )}
        </SubmitRow>
      </Form>
    </section>
  );
}

function Question({ text, onRepeat }: { text: string; onRepeat: (() => void) | undefined }) {
  return (
    <div className="flex items-start justify-end gap-1">
      <IconButton icon={RotateCcw} label="Run again from here" disabled={!onRepeat} onClick={onRepeat} />
      <div className="max-w-[85%] min-w-0 rounded-2xl rounded-tr-sm bg-sunk px-3.5 py-2">
        <p className="sr-only">You</p>
        <p dir="auto" className="[overflow-wrap:anywhere] whitespace-pre-wrap">
          {text}
        </p>
      </div>
    </div>
  );
}

interface ReplyProps {
  text: string;
  isWriting?: boolean;
  children: ReactNode;
}

function Reply({ text, isWriting, children }: ReplyProps) {
  return (
    <div className="grid max-w-[92%] min-w-0 justify-items-start gap-1.5">
      <p className="sr-only">Agent</p>
      {(text || isWriting) && (
        <div className="max-w-full min-w-0 rounded-2xl rounded-tl-sm bg-accent-tint px-3.5 py-2">
          {text ? <Markdown text={text} /> : <p className="text-soft">Thinking …</p>}
        </div>
      )}
      {children}
    </div>
  );
}
