import { type ToolParameters, toolKinds } from '@botyard/contracts/http/tool-kinds';
import { withTenant } from '@botyard/shared/db/database';
import { type FoundChunk, searchChunks } from '../../knowledge/store/context-search.ts';
import type { UsedPassage } from '../../recordings/domain/turn-recording.ts';
import { tellTime } from './current-time.ts';
import { getPage } from './http-get.ts';
import type { BuiltInKind, Tool, ToolDeps, ToolResult } from './tool.ts';
import { ToolError } from './tool-error.ts';

const maxUnitsOfPassage = 1500;

/** Returns numbered passages, best first; each is cited. */
const searchContext: Tool<'search_context'> = async ({ database }, use) => {
  const { tenantId, settings, parameters } = use;
  const { limit, sourceIds } = settings;
  const search = { query: parameters.query, limit, sourceIds };
  const chunks = await withTenant(database, [tenantId], (tx) => searchChunks(tx, tenantId, search));
  if (chunks.length === 0) return { text: 'Nothing was found. Try other words.' };
  const passages = chunks.map(passageOf);
  return {
    text: passages.map(({ title, text }, index) => `[${index + 1}] ${title}\n${text}`).join('\n\n'),
    passages,
    citations: chunks.map(({ sourceId, chunkId, title, heading, position, score }) => ({
      sourceId,
      chunkId,
      title,
      heading,
      position,
      score,
    })),
  };
};

function passageOf({ sourceId, title, heading, text }: FoundChunk): UsedPassage {
  const shown = text.length <= maxUnitsOfPassage ? text : `${text.slice(0, maxUnitsOfPassage)}…`;
  return { sourceId, title: heading ? `${title}, ${heading}` : title, text: shown.toWellFormed() };
}

const calculate: Tool<'calculator'> = async ({ calculator }, { tenantId, parameters, signal }) => {
  const { expression } = parameters;
  return { text: `${expression} = ${await calculator.calculate(tenantId, expression, signal)}` };
};

/** Changes nothing: the choices are shown with the answer. */
const offerChoices: Tool<'offer_choices'> = async (_deps, { parameters: { choices } }) => ({
  text: 'The choices stand under your answer. Write the answer now, and do not repeat them in it.',
  choices,
});

const tools: { [Kind in BuiltInKind]: Tool<Kind> } = {
  current_time: tellTime,
  calculator: calculate,
  http_get: getPage,
  search_context: searchContext,
  offer_choices: offerChoices,
};

/** A tool of a tenant and its requested use. Neither has been checked. */
interface ToolOrder {
  tenantId: string;
  kind: BuiltInKind;
  settings: unknown;
  parameters: unknown;
  signal: AbortSignal;
}

/** Runs a tool if its arguments fit its kind. @throws ToolError; the signal's own reason. */
export async function runTool(deps: ToolDeps, order: ToolOrder): Promise<ToolResult> {
  return await runKind(deps, order.kind, order);
}

async function runKind<Kind extends BuiltInKind>(
  deps: ToolDeps,
  kind: Kind,
  { tenantId, signal, ...given }: ToolOrder,
): Promise<ToolResult> {
  const parameters = toolKinds[kind].parameters.safeParse(given.parameters);
  if (!parameters.success) throw new ToolError('refused', faultsOf(parameters.error.issues));
  const settings = toolKinds[kind].settings.safeParse(given.settings);
  if (!settings.success) throw new ToolError('failed', 'the tool is not set up correctly');
  return await tools[kind](deps, {
    tenantId,
    settings: settings.data as never,
    parameters: parameters.data as ToolParameters<Kind>,
    signal,
  });
}

/** The faults of arguments, as a text for the model that chose them. */
export const faultsOf = (issues: readonly { path: PropertyKey[]; message: string }[]): string =>
  `the arguments do not fit: ${issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.map(String).join('.') || 'arguments'}: ${message}`)
    .join('; ')}`;

/** The result of a call that asks for a person. Statistics recognize such calls by it. */
export const handedOver = 'A person takes the chat over.';

/** Asks for a person. The chat is theirs once the turn has ended: until then nothing is changed. @throws ToolError. */
export function handOver(given: unknown): ToolResult {
  const parameters = toolKinds.hand_over.parameters.safeParse(given);
  if (!parameters.success) throw new ToolError('refused', faultsOf(parameters.error.issues));
  return { text: handedOver, handover: parameters.data.reason };
}
