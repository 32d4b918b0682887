import type { SourceCitation } from '@botyard/contracts/http/context-traces';
import type { ToolKind, ToolParameters, ToolSettings } from '@botyard/contracts/http/tool-kinds';
import type { UsedPassage } from '../../recordings/domain/turn-recording.ts';
import type { Deps } from '../deps.ts';

/** The result of a tool. */
export interface ToolResult {
  /** The text for the model. The caller limits its size. */
  text: string;
  /** The passages of the tenant's documents in the text. */
  citations?: SourceCitation[];
  /** The same passages as the model gets them. */
  passages?: UsedPassage[];
  /** Texts under the answer that the person can choose from. */
  choices?: readonly string[];
  /** The reason for handing the chat over to a person. The turn ends with it. */
  handover?: string;
}

/** Tools that run in this service: all but external ones, and those that only end the turn. */
export type BuiltInKind = Exclude<ToolKind, 'external' | 'hand_over'>;

interface ToolUse<Kind extends ToolKind> {
  tenantId: string;
  settings: ToolSettings<Kind>;
  parameters: ToolParameters<Kind>;
  signal: AbortSignal;
}

export type ToolDeps = Pick<Deps, 'database' | 'egress' | 'calculator' | 'texts'>;

/** Only reads, so that a turn can be repeated. @throws ToolError; the signal's reason. */
export type Tool<Kind extends BuiltInKind> = (deps: ToolDeps, use: ToolUse<Kind>) => Promise<ToolResult>;
