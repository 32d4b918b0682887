import type { Schema } from '@botyard/client/client';

export type Assertion = Schema<'EvaluationAssertion'>;

interface Input {
  name: string;
  label: string;
  isNumber?: boolean;
  isJson?: boolean;
  isOptional?: boolean;
}

interface AssertionKind {
  type: Assertion['type'];
  /** As a choice in a list. */
  title: string;
  inputs: readonly Input[];
}

const text: Input = { name: 'text', label: 'Text' };
const schema: Input = { name: 'schema', label: 'JSON Schema', isJson: true };

/** The kinds of assertions in the order in which they are offered. */
export const assertionKinds: readonly AssertionKind[] = [
  { type: 'contains', title: 'The answer contains', inputs: [text] },
  { type: 'not_contains', title: 'The answer does not contain', inputs: [text] },
  {
    type: 'matches',
    title: 'The answer matches',
    inputs: [{ name: 'pattern', label: 'Regular expression' }],
  },
  {
    type: 'language',
    title: 'The answer is in',
    inputs: [{ name: 'language', label: 'Language, such as de' }],
  },
  {
    type: 'tool_called',
    title: 'A tool is called',
    inputs: [
      { name: 'name', label: 'Tool' },
      { name: 'arguments', label: 'With exactly these arguments (JSON)', isJson: true, isOptional: true },
    ],
  },
  {
    type: 'approval_asked',
    title: 'An approval is asked for',
    inputs: [{ name: 'name', label: 'Tool', isOptional: true }],
  },
  { type: 'handed_over', title: 'The chat is handed over', inputs: [] },
  { type: 'silent', title: 'The agent stays silent', inputs: [] },
  {
    type: 'cites',
    title: 'A document is used',
    inputs: [{ name: 'sourceId', label: 'Identifier of the document' }],
  },
  {
    type: 'cost_at_most',
    title: 'It costs at most',
    inputs: [{ name: 'microUsd', label: 'Millionths of a dollar', isNumber: true }],
  },
  {
    type: 'tokens_at_most',
    title: 'It takes at most',
    inputs: [{ name: 'tokens', label: 'Tokens', isNumber: true }],
  },
  {
    type: 'time_at_most',
    title: 'It lasts at most',
    inputs: [{ name: 'milliseconds', label: 'Milliseconds', isNumber: true }],
  },
  { type: 'json', title: 'The answer is JSON', inputs: [schema] },
];

/** An assertion in plain words. */
export function inWords(assertion: Assertion): string {
  switch (assertion.type) {
    case 'agent':
      return `This agent is chosen among ${assertion.among.length}`;
    case 'tool_called':
      return `The tool ${assertion.name} is called${assertion.arguments ? ` with ${JSON.stringify(assertion.arguments)}` : assertion.schema ? ' with arguments that fit a schema' : ''}`;
    case 'approval_asked':
      return `An approval is asked for${assertion.name ? `: ${assertion.name}` : ''}`;
    case 'handed_over':
      return 'The chat is handed over to a person';
    case 'silent':
      return 'The agent stays silent';
    case 'contains':
      return `The answer contains “${assertion.text}”`;
    case 'not_contains':
      return `The answer does not contain “${assertion.text}”`;
    case 'matches':
      return `The answer matches ${assertion.pattern}`;
    case 'language':
      return `The answer is in the language ${assertion.language}`;
    case 'cites':
      return `A passage of the document ${assertion.sourceId} is used`;
    case 'cost_at_most':
      return `It costs at most $${assertion.microUsd / 1e6}`;
    case 'tokens_at_most':
      return `It takes at most ${assertion.tokens} tokens`;
    case 'time_at_most':
      return `It lasts at most ${assertion.milliseconds} ms`;
    case 'json':
      return 'The answer is JSON of a schema';
  }
}

/** The assertion of these fields. @throws SyntaxError for a field that is no JSON. */
export function assertionOf(type: string, fields: Readonly<Record<string, string>>): Assertion {
  const inputs = assertionKinds.find((kind) => kind.type === type)?.inputs ?? [];
  const values = inputs.flatMap(({ name, isNumber, isJson }) => {
    const value = fields[name] ?? '';
    if (value === '') return [];
    return [[name, isNumber ? Number(value) : isJson ? JSON.parse(value) : value] as const];
  });
  return { type, ...Object.fromEntries(values) } as Assertion;
}
