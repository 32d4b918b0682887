/** Limits of one policy. The contract bounds its text as a whole. */
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

/** Limits of a tenant's enabled policies together. */
export const setLimits = {
  policies: 100,
  bytes: 128 * 1024,
  /** Characters of all patterns of `like`: matching costs pattern times text. */
  patterns: 8000,
  /** Limit of one decision, measured with the strings that are slowest for the patterns. */
  decisionMs: 250,
};

/** Cedar's work grows with a string's length, so requests with longer ones are refused. */
export const maxFactLength = 500;

/**
 * Sets within these bounds are decided on the main thread: a decision takes at most about 1.5 ms, and parsing the set
 * about 5 ms, once for each change. Larger ones are decided in a worker thread.
 */
export const smallSet = { bytes: 4096, patterns: 500 };

/** Sets stored before limits existed are decided up to this size, with the thread's budget. */
export const maxBytesDecided = 2 * setLimits.bytes;
