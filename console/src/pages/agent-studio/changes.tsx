import type { Schema } from '@botyard/client/client';
import { useAnswer, useList } from '../../api/use-answer.ts';
import { shortened, wordDiff } from './word-diff.ts';

type Content = Schema<'AgentDefinitionVersion'>['definition'];
type FieldName = keyof Content;

const titles: Readonly<Record<FieldName, string>> = {
  name: 'Name',
  description: 'Description',
  instructions: 'Instructions',
  provider: 'Provider',
  model: 'Model',
  keywords: 'Keywords',
  toolIds: 'Tools',
  capabilityIds: 'Capabilities',
  serverIds: 'MCP servers',
  keepsSummary: 'Keeps a summary',
  modelSettings: 'Model settings',
};

export const titleOf = (field: FieldName): string => titles[field].toLowerCase();

interface ChangesProps {
  changed: readonly FieldName[];
  /** `undefined` if the earlier content is not kept any more. */
  before: Partial<Content> | undefined;
  after: Partial<Content>;
  /** Parts that may no longer exist, whose names are shown all the same. */
  parts?: readonly { id: string; name: string }[];
}

/** The difference between two contents of an agent, field by field, with the changed words marked. */
export function Changes({ changed, before, after, parts = [] }: ChangesProps) {
  const wordsOf = useWords(parts);
  return (
    <dl className="grid gap-4">
      {changed.map((field) => (
        <div key={field} className="grid gap-1">
          <dt className="text-sm font-medium">{titles[field]}</dt>
          <dd>
            <Difference before={wordsOf(before?.[field])} after={wordsOf(after[field])} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const looks = {
  same: '',
  added: 'rounded bg-good-tint text-good no-underline',
  removed: 'rounded bg-bad-tint text-bad',
} as const;

/** Two texts as one, with the words marked that differ. */
export function Difference({ before, after }: { before: string; after: string }) {
  const pieces = wordDiff(before, after);
  return (
    <p
      dir="auto"
      className="max-h-80 overflow-auto rounded-md border border-line bg-sunk p-3 text-sm [overflow-wrap:anywhere] whitespace-pre-wrap"
    >
      {pieces.map(({ text, kind }, index) => {
        const Tag = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'span';
        const shown = kind === 'same' ? shortened(text, index === 0, index === pieces.length - 1) : text;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces have no other identity.
          <Tag key={index} className={looks[kind]}>
            {shown}
          </Tag>
        );
      })}
    </p>
  );
}

/** Returns a function that writes a field's value as people read it: tools and capabilities by their names. */
function useWords(formerParts: readonly { id: string; name: string }[]): (value: unknown) => string {
  const tools = useAnswer('/api/definitions/tools/available');
  const capabilities = useList('/api/definitions/capabilities', { query: { limit: 500 } });
  const parts = [...(tools.data ?? []), ...(capabilities.data ?? []), ...formerParts];
  const names = new Map(parts.flatMap(({ id, name }) => (id === null ? [] : [[id, name] as const])));
  return (value) => {
    if (value === undefined) return '';
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (Array.isArray(value)) return value.map((one) => names.get(one) ?? one).join('\n');
    if (typeof value !== 'object' || value === null) return String(value);
    return Object.entries(value)
      .map(([name, setting]) => `${name}: ${setting}`)
      .join('\n');
  };
}
