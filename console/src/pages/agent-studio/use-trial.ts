import type { StreamEvent } from '@botyard/client/event-stream';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../api/api.ts';
import type { ToolCall, TrialTrace } from './trial-trace.ts';

interface Said {
  /** The position in the list. */
  id: number;
  role: 'user' | 'assistant';
  text: string;
  /** The texts to choose from under an answer. */
  choices?: readonly string[] | undefined;
  /** How an answer came about. */
  trace?: TrialTrace;
}
interface Answering {
  text: string;
  tools: ToolCall[];
  error?: Error;
  isOver?: boolean;
}

const nothing: Answering = { text: '', tools: [] };

/** A conversation with an agent that is only tried. `readContent` returns what replaces the stored definition. */
export function useTrial(agentId: string, readContent?: () => object | null) {
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
    if (type === 'tool') change((now) => ({ ...now, tools: [...now.tools, data as ToolCall] }));
    if (type === 'error') throw new Error((data as { error: string }).error);
    if (type !== 'done') return;
    const { text, choices, trace } = data as Pick<Said, 'text' | 'choices'> & { trace: TrialTrace };
    setSaid([...asked, { id: asked.length, role: 'assistant', text, choices, trace }]);
    setAnswering(undefined);
  }

  async function ask(text: string, earlier: readonly Said[]) {
    const messagesSoFar: Said[] = [...earlier, { id: earlier.length, role: 'user', text }];
    const asking = new AbortController();
    stop.current = asking;
    setSaid(messagesSoFar);
    setAnswering(nothing);
    try {
      const messages = messagesSoFar.map(({ role, text: words }) => ({ role, text: words }));
      const draft = readContent?.();
      const body = { messages, ...(draft ? { draft } : {}) };
      const path = `/api/agents/${agentId}/try` as const;
      const options = { method: 'POST', body, signal: asking.signal } as const;
      for await (const event of api.stream(path, options)) take(event, messagesSoFar);
    } catch (error) {
      if (!asking.signal.aborted) change((now) => ({ ...now, error: error as Error }));
    }
    setAnswering((now) => now && { ...now, isOver: true });
  }

  return {
    said,
    answering,
    isBusy,
    /** Asks after the first `earlier` of the messages. */
    ask: (text: string, earlier = said.length) => void ask(text, said.slice(0, earlier)),
    stop: () => stop.current?.abort(),
    startOver: () => {
      setSaid([]);
      setAnswering(undefined);
    },
  };
}
