import type { Schema } from '@botyard/client/client';

type Case = Schema<'EvaluationCase'>;

/** A case that is being edited: arguments are texts, because they may be half written. */
export interface EditedCase {
  name: string;
  messages: Case['messages'];
  tools: {
    name: string;
    arguments: string;
    outcome: Case['recording']['tools'][number]['outcome'];
    result: string;
  }[];
  passages: Case['recording']['passages'];
  now: string | null;
  assertions: Case['assertions'];
  sourceMessageIds: string[];
}

export const emptyCase: EditedCase = {
  name: '',
  messages: [{ role: 'user', text: '' }],
  tools: [],
  passages: [],
  now: null,
  assertions: [],
  sourceMessageIds: [],
};

export const toEdited = ({
  name,
  messages,
  recording,
  assertions,
  sourceMessageIds,
}: Pick<Case, 'name' | 'messages' | 'recording' | 'assertions' | 'sourceMessageIds'>): EditedCase => ({
  name,
  messages,
  tools: recording.tools.map((call) => ({ ...call, arguments: JSON.stringify(call.arguments, null, 2) })),
  passages: recording.passages,
  now: recording.now,
  assertions,
  sourceMessageIds,
});

/** The body of a request. @throws Error for arguments that are no JSON object. */
export const toBody = ({ tools, passages, now, ...rest }: EditedCase) => ({
  ...rest,
  recording: {
    tools: tools.map((call) => ({ ...call, arguments: argumentsOf(call) })),
    passages,
    now,
  },
});

function argumentsOf({ name, arguments: text }: EditedCase['tools'][number]): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Named below.
  }
  throw new Error(`The arguments of ${name || 'a call'} are no JSON object.`);
}
