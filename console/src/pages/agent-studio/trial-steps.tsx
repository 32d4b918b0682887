import type { ReactNode } from 'react';
import { CallDetails } from '../../parts/call-details.tsx';
import { State } from '../../parts/controls.tsx';
import { count, milliseconds } from '../../parts/text.tsx';
import { CalledServer } from '../tool-servers/called-server.tsx';
import type { ToolCall, TrialTrace } from './trial-trace.ts';

/** How an answer of a trial came about, step by step. */
export function TrialSteps({ trace }: { trace: TrialTrace }) {
  const { provider, model, key, context, answer, toolCalls, inputTokens, outputTokens, durationMs } = trace;
  const failures = key.attempts.filter(({ outcome }) => outcome !== 'answered');
  const titles = [...new Set(context.citations.map(({ title }) => title))];
  return (
    <details className="w-full text-sm text-soft">
      <summary>
        {milliseconds(durationMs)} · {count(inputTokens)} input tokens, {count(outputTokens)} output tokens
        {toolCalls.length > 0 && ` · ${toolCalls.length === 1 ? '1 tool' : `${toolCalls.length} tools`}`}
      </summary>
      <ol className="mt-2 grid gap-2 border-l-2 border-line pl-3">
        <Step title="Read">
          {context.messages} earlier messages, {count(context.tokens)} tokens
          {titles.length > 0 && `, passages of ${titles.join(', ')}`}
        </Step>
        {failures.map(({ outcome, source, durationMs: lasted }) => (
          <Step key={`${source} ${outcome}`} title="Failed call">
            key of the {source}: {outcome} after {milliseconds(lasted)}
          </Step>
        ))}
        {toolCalls.map((call, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an answer's calls don't change.
          <ToolStep key={index} call={call} />
        ))}
        <Step title="Answered">
          by {provider} {model} with the key of the {key.source}
          {answer.finishReason && ` (${answer.finishReason})`}
        </Step>
      </ol>
    </details>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li className="[overflow-wrap:anywhere]">
      <span className="font-medium text-ink">{title}</span> {children}
    </li>
  );
}

function ToolStep({ call }: { call: ToolCall }) {
  const { name, outcome, durationMs } = call;
  return (
    <Step title="Called">
      <span className="font-mono">{name}</span> in {milliseconds(durationMs)} <State word={outcome} />
      <details>
        <summary>Arguments and result</summary>
        <CalledServer call={call} />
        <CallDetails call={call} />
      </details>
    </Step>
  );
}
