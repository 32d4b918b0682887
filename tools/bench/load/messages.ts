/** The messages between the benchmark and its load process. They are plain data, because they cross processes. */

/** The target of a request, and its caller. */
export interface Target {
  path: string;
  headers: Readonly<Record<string, string>>;
}

export type RequestPlan =
  /** Requested in turn. */
  { kind: 'get'; targets: readonly Target[] } | { kind: 'update'; targets: readonly Target[]; chats: number };

export type Loop =
  /** Each connection sends its next request after the previous response. */
  | { kind: 'closed'; connections: number; seconds: number; most: number }
  /** Requests are sent on a schedule. The latency counts from the scheduled time. */
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
  /** The number of responses with status 200. */
  ok: number;
  /** The number of responses by status. 0 stands for no response. */
  statuses: Record<string, number>;
}

/** A plan for messages that each expect an answer at the messenger. */
export interface ConversationPlan {
  port: number;
  targets: readonly Target[];
  chatsPerTarget: number;
  /** The number of the first chat at each target. Defaults to 0, so that plans share their chats. */
  firstChat?: number;
  inFlight: number;
  messages: number;
  /** True to send the next message as soon as one is accepted, and to wait for the answers at the end. */
  isFlood?: boolean;
}

export interface ConversationResult extends Latencies {
  seconds: number;
  /** The number of updates to which the webhook returned 200. */
  accepted: number;
  answered: number;
  lost: number;
  duplicated: number;
  /** Texts at the messenger that answer none of the questions. */
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
