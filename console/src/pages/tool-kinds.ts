import type { Schema } from '@botyard/client/client';

export type ToolKind = Schema<'ToolDefinition'>['kind'];

/** Display names of the kinds of tools. */
export const kindWords: Readonly<Record<ToolKind, string>> = {
  current_time: 'Date and time',
  calculator: 'Calculator',
  http_get: 'Web page reader',
  search_context: 'Document search',
  hand_over: 'Handover to a person',
  offer_choices: 'Choices under an answer',
  external: 'External tool',
};
export const toolKinds = Object.keys(kindWords) as ToolKind[];

export const kindOf = (text: string | undefined): ToolKind | undefined =>
  toolKinds.find((kind) => kind === text);
