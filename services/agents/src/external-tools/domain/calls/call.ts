import type { ToolRequester } from '@botyard/contracts/http/integrations-tickets';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import type { ToolSettings } from '@botyard/contracts/http/tool-kinds';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type { Said } from '@botyard/shared/db/erased-people';
import type { ExactArguments } from './arguments.ts';

/** The turn and the people that tools are called for. */
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
  /**
   * Running and finished calls of this attempt, by tool and hash of the arguments, so that the same call is made once.
   */
  inFlight: Map<string, Promise<unknown>>;
  /** Whether only the person and the bot are in the chat. */
  isPrivate: boolean;
  /** Addresses by which the person connects an account of their own, by the server's name; sent with the answer. */
  links: Map<string, string>;
  /** A call that was approved and has run, with its result, so that it isn't requested again. */
  ended?: { toolId: string; argumentsHash: string; text: string };
}

/** An external tool as configured by a tenant. */
interface ExternalTool {
  toolId: string;
  name: string;
  settings: ToolSettings<'external'>;
}

/** One call with all its data. */
export interface ExternalCall extends ExactArguments {
  scene: Scene;
  tool: ExternalTool;
}

type Message = {
  tenantId: string;
  sender: { platformUserId: string; name: string; isProven?: boolean | undefined } | null;
};

/** If the platform doesn't verify its senders, the message states whether this sender is verified. */
export const isProvenOn = (
  platform: ToolRequester['platform'],
  { isProven }: { isProven?: boolean | undefined },
): boolean => isProven ?? platformCapabilities[platform].provesSenders;

/** The authors of the messages that a turn answers, without duplicates. */
export function requestersOf(
  platform: ToolRequester['platform'],
  messages: readonly Message[],
): ToolRequester[] {
  const requesters = new Map<string, ToolRequester>();
  for (const { tenantId, sender } of messages) {
    if (!sender) continue;
    const { platformUserId, name } = sender;
    const userId = personIdOfAccount(tenantId, { platform, platformUserId });
    const isProven = isProvenOn(platform, sender) && requesters.get(userId)?.isProven !== false;
    requesters.set(userId, { userId, platform, platformUserId, name, isProven });
  }
  return [...requesters.values()];
}
