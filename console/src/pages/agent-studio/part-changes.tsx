import type { Schema } from '@botyard/client/client';
import { Difference } from './changes.tsx';

type Parts = NonNullable<Schema<'AgentDefinitionVersion'>['parts']>;

interface PartChange {
  id: string;
  title: string;
  before: string;
  after: string;
}

/** The tools and capabilities that two versions of an agent both have, and that differ. */
export function changesOfParts(before: Parts, after: Parts): PartChange[] {
  const beforeById = new Map(described(before).map((part) => [part.id, part]));
  return described(after).flatMap(({ id, title, words }) => {
    const earlier = beforeById.get(id);
    return earlier && earlier.words !== words ? [{ id, title, before: earlier.words, after: words }] : [];
  });
}

/** The difference of each, with the changed words marked. */
export function PartChanges({ changes }: { changes: readonly PartChange[] }) {
  return (
    <dl className="grid gap-4">
      {changes.map(({ id, title, before, after }) => (
        <div key={id} className="grid gap-1">
          <dt className="text-sm font-medium first-letter:uppercase">{title}</dt>
          <dd>
            <Difference before={before} after={after} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function described({ tools, capabilities }: Parts) {
  const toolNames = new Map(tools.map(({ id, name }) => [id, name]));
  return [
    ...tools.map(({ id, name, description, settings }) => ({
      id,
      title: `tool ${name}`,
      words: [name, description, ...Object.entries(settings).map(settingWords)].join('\n'),
    })),
    ...capabilities.map(({ id, name, description, instructions, keywords, toolIds }) => ({
      id,
      title: `capability ${name}`,
      words: [
        name,
        description,
        instructions,
        `keywords: ${keywords.join(', ')}`,
        `tools: ${toolIds.map((toolId) => toolNames.get(toolId) ?? 'deleted tool').join(', ')}`,
      ].join('\n'),
    })),
  ];
}

const settingWords = ([name, value]: [string, unknown]): string =>
  `${name}: ${typeof value === 'string' ? value : JSON.stringify(value, null, 1)}`;
