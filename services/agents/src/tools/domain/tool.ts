import type { SourceCitation } from '@botyard/contracts/http/context-traces';
import type { ToolKind, ToolParameters, ToolSettings } from '@botyard/contracts/http/tool-kinds';
import type { Deps } from '../../deps.ts';

/** What a tool came to. */
export interface ToolResult {
  /** For the model. The caller bounds it. */
  text: string;
  /** Passages of the tenant's documents that are in it. */
  citations?: SourceCitation[];
  /** Why a person is asked to take the chat over; the turn ends with it. */
  handover?: string;
}

/** Thrown by tools. The message is for the model, so it holds nothing of ours: no address, no cause. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  /** `refused`: what was asked for isn't allowed, or makes no sense. `failed`: it went wrong, and another time it may not. */
  readonly outcome: 'refused' | 'failed';

  constructor(outcome: 'refused' | 'failed', message: string, options?: ErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }
}

/** What runs here: everything but external tools, and but what only ends the turn. */
export type BuiltInKind = Exclude<ToolKind, 'external' | 'hand_over'>;

export interface ToolUse<Kind extends ToolKind> {
  tenantId: string;
  settings: ToolSettings<Kind>;
  parameters: ToolParameters<Kind>;
  signal: AbortSignal;
}

export type ToolDeps = Pick<Deps, 'database' | 'egress' | 'calculator' | 'texts'>;

/** Reads and changes nothing anywhere, so that a turn can be tried again. @throws ToolError; the signal's reason. */
export type Tool<Kind extends BuiltInKind> = (deps: ToolDeps, use: ToolUse<Kind>) => Promise<ToolResult>;
