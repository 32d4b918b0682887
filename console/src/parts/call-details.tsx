import type { Schema } from '@botyard/client/client';
import { Json } from './page.tsx';

type Call = Pick<Schema<'ContextTrace'>['toolCalls'][number], 'arguments' | 'result'>;

/** The arguments of a tool call by their names, and its result as text. */
export function CallDetails({ call }: { call: Call }) {
  const values = parsed(call.arguments);
  return (
    <dl className="grid gap-1 text-sm [overflow-wrap:anywhere]">
      <dt className="font-medium">Arguments</dt>
      <dd>{isRecord(values) ? <Arguments values={values} /> : <Value value={values} />}</dd>
      <dt className="font-medium">Result</dt>
      <dd>
        <Value value={parsed(call.result)} />
      </dd>
    </dl>
  );
}

function Arguments({ values }: { values: Record<string, unknown> }) {
  const entries = Object.entries(values);
  if (entries.length === 0) return <span className="text-soft">none</span>;
  return (
    <ul className="grid gap-1">
      {entries.map(([name, value]) => (
        <li key={name}>
          <span className="font-mono text-soft">{name}</span> <Value value={value} />
        </li>
      ))}
    </ul>
  );
}

function Value({ value }: { value: unknown }) {
  if (typeof value === 'object' && value !== null) return <Json value={value} />;
  return <bdi className="whitespace-pre-wrap">{value === '' ? 'empty' : String(value)}</bdi>;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON as a value, any other text as it is: a long one was truncated. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
