import type { ToolRequester } from '@botyard/contracts/http/integrations-tickets';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import type { ToolSettings } from '@botyard/contracts/http/tool-kinds';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type { Said } from '@botyard/shared/db/erased-people';
import type { ExactArguments } from './arguments.ts';

/** The turn and the people for which tools are called. */
export interface Scene {
  tenantId: string;
  conversationId: string;
  botId: string;
  agentId: string;
  /** The first message of the turn: the same in all its attempts, and in no other turn. */
  turnKey: string;
  requesters: readonly ToolRequester[];
  /** The messages, and their times. */
  said: readonly Said[];
  /** Running and finished calls of this attempt, by tool and hash of the arguments. The same call is made once. */
  inFlight: Map<string, Promise<unknown>>;
  /** A call that was approved and has run, with its result, so that it isn't requested again. */
  ended?: { toolId: string; argumentsHash: string; text: string };
}

/** An external tool as configured by a tenant. */
export interface ExternalTool {
  toolId: string;
  name: string;
  settings: ToolSettings<'external'>;
}

/** One call, whole. */
export interface ExternalCall extends ExactArguments {
  scene: Scene;
  tool: ExternalTool;
}

type Message = {
  tenantId: string;
  sender: { platformUserId: string; name: string; isProven?: boolean | undefined } | null;
};

/** If the platform doesn't prove its senders, the message says whether this one is proven. */
export const isProvenOn = (
  platform: ToolRequester['platform'],
  { isProven }: { isProven?: boolean | undefined },
): boolean => isProven ?? platformCapabilities[platform].provesSenders;

/** Every author of the messages that a turn answers, once. */
export function requestersOf(
  platform: ToolRequester['platform'],
  messages: readonly Message[],
): ToolRequester[] {
  const found = new Map<string, ToolRequester>();
  for (const { tenantId, sender } of messages) {
    if (!sender) continue;
    const { platformUserId, name } = sender;
    const userId = personIdOfAccount(tenantId, { platform, platformUserId });
    const isProven = isProvenOn(platform, sender) && found.get(userId)?.isProven !== false;
    found.set(userId, { userId, platform, platformUserId, name, isProven });
  }
  return [...found.values()];
}
