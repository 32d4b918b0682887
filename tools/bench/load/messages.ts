/** Messages between the benchmark and its load process. Plain data: it crosses a process boundary. */

/** The target of a request, and its caller. */
export interface Target {
  path: string;
  headers: Readonly<Record<string, string>>;
}

/** A bot's webhook for posting to it. */
export type WebhookTarget = Target;

export type RequestPlan =
  /** Requested in turn. */
  | { kind: 'get'; targets: readonly Target[] }
  | { kind: 'update'; targets: readonly WebhookTarget[]; chats: number };

export type Loop =
  /** Every connection sends its next request after the last answer. */
  | { kind: 'closed'; connections: number; seconds: number; most: number }
  /** Requests leave on a schedule, answered or not; latency counts from the scheduled moment. */
  | { kind: 'open'; perSecond: number; seconds: number; maxConnections: number };

export interface LoadPlan {
  port: number;
  requests: RequestPlan;
  loop: Loop;
}

export interface Latencies {
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

export interface LoadResult extends Latencies {
  seconds: number;
  answered: number;
  /** Answers with status 200. */
  ok: number;
  /** By status; 0 is no answer. */
  statuses: Record<string, number>;
}

/** Messages that each expect an answer at the messenger. */
export interface ConversationPlan {
  port: number;
  targets: readonly WebhookTarget[];
  chatsPerTarget: number;
  inFlight: number;
  messages: number;
  /** Writes on as soon as a message is accepted, and waits for the answers at the end. */
  isFlood?: boolean;
  /** The wait of the model before each answer, for all runs from then on. */
  modelTakesMs?: number;
  /** Messages begun per second, over all chats; without it, each chat writes again after the last answer. */
  perSecond?: number;
}

export interface ConversationResult extends Latencies {
  seconds: number;
  /** Updates that the webhook answered 200. */
  accepted: number;
  answered: number;
  lost: number;
  duplicated: number;
  /** Texts at the messenger that answer no question. */
  strange: string[];
}

export interface Platforms {
  messengerUrl: string;
  modelUrl: string;
}

export type Order =
  | { id: number; order: 'load'; plan: LoadPlan }
  | { id: number; order: 'converse'; plan: ConversationPlan }
  | { id: number; order: 'platforms' };

export type Report = { id: number; result: unknown } | { id: number; fault: string };
