import type { Schema } from '@botyard/client/client';

export type ToolKind = Schema<'ToolDefinition'>['kind'];

/** Kinds of tools as people call them. */
export const kindWords: Readonly<Record<ToolKind, string>> = {
  current_time: 'date and time',
  calculator: 'calculator',
  http_get: 'reads pages of allowed hosts',
  search_context: 'knowledge: searches documents',
  hand_over: 'hands over to a person',
  external: 'external tool',
};
export const toolKinds = Object.keys(kindWords) as ToolKind[];

export const kindOf = (text: string | undefined): ToolKind | undefined =>
  toolKinds.find((kind) => kind === text);
