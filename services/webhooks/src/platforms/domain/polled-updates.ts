/** A polled update, and the offset that confirms it. */
export interface PolledUpdate {
  bytes: Uint8Array;
  next: number;
}

/** The reason why a platform returned no updates. */
export interface PollFailure {
  reason: string;
  /** The time for which the platform asks to wait. */
  retryInMs?: number;
  /** The platform delivers to a webhook, or another program polls it. */
  isConflict?: boolean;
  /** The credentials are invalid. */
  isRefused?: boolean;
}
