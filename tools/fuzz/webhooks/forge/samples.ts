import { readdirSync, readFileSync } from 'node:fs';

const fixtures = new URL('../../../../test/fixtures/', import.meta.url);

type Sample = Record<string, unknown>;

/** Returns real deliveries of a platform. */
function samplesOf(folder: string): readonly Sample[] {
  return readdirSync(new URL(`${folder}/`, fixtures))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(`${folder}/${name}`, fixtures), 'utf8')) as Sample);
}

export const updates = samplesOf('messenger');
export const events = samplesOf('idp');

/** Returns a copy with all texts of people replaced and the IDs of people and chats changed. */
export function rewrite(
  value: unknown,
  { text, numberOf }: { text: string; numberOf: (id: number) => number },
  field = '',
): unknown {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, { text, numberOf }, field));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, rewrite(inner, { text, numberOf }, name)]),
    );
  if (typeof value === 'number' && /^(id|update_id|message_id)$/.test(field)) return numberOf(value);
  const isWritten = /^(text|caption|first_name|last_name|title|name|slug|subject|data|from|username)$/.test(
    field,
  );
  return typeof value === 'string' && isWritten ? text : value;
}
