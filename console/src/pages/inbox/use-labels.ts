import type { Schema } from '@botyard/client/client';
import { useList } from '../../api/use-answer.ts';

/** The tenant's labels, by name. */
export function useLabels(): Schema<'Label'>[] {
  const { data = [] } = useList('/api/interactions/labels', { query: { limit: 200 } });
  return data.toSorted((one, other) => one.name.localeCompare(other.name));
}
