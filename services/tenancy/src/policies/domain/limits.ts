/** What one policy may hold. Its text as a whole is bounded by the contract. */
export const policyLimits = {
  /** Characters between two quotation marks. No attribute of a request is longer (`maxFactLength`). */
  literal: 500,
  /** Characters of a pattern of `like`. */
  pattern: 200,
  /** `*` in a pattern. */
  wildcards: 8,
  /** Brackets within brackets. */
  depth: 50,
};

/** What the enabled policies of a tenant may hold together. */
export const setLimits = {
  policies: 100,
  bytes: 128 * 1024,
  /** Characters of all patterns of `like`: matching costs pattern times text. */
  patterns: 8000,
  /** Of one decision, measured with the strings that make the patterns work hardest. */
  decisionMs: 250,
};

/** Cedar's work on a string grows with it, so a request with a longer one is refused. */
export const maxFactLength = 500;

/**
 * Sets within these bounds are decided where requests are served: a decision takes at most about 1.5 ms, and parsing the
 * set about 5 ms, once for each change. Larger ones are decided in a thread.
 */
export const smallSet = { bytes: 4096, patterns: 500 };

/** Sets that were stored before there were limits are decided up to this size, with the thread's budget. */
export const maxBytesDecided = 2 * setLimits.bytes;
