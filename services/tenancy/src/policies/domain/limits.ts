/** Limits of one policy. The contract limits its text as a whole. */
export const policyLimits = {
  /** The most characters between two quotation marks. No attribute of a request is longer (`maxFactLength`). */
  literal: 500,
  /** The most characters in a pattern of `like`. */
  pattern: 200,
  /** The most `*` in a pattern. */
  wildcards: 8,
  /** The most levels of nested brackets. */
  depth: 50,
};

/** Limits of a tenant's enabled policies together. */
export const setLimits = {
  policies: 100,
  bytes: 128 * 1024,
  /** The most characters in all patterns of `like`: matching costs pattern times text. */
  patterns: 8000,
  /** Limit of one decision, measured with the strings that are slowest for the patterns. */
  decisionMs: 250,
};

/** Cedar's work grows with a string's length, so requests with longer strings are refused. */
export const maxFactLength = 500;

/**
 * Sets within these limits are decided on the main thread: a decision takes at most about 1.5 ms, and parsing the set
 * about 5 ms, once per change. Larger ones are decided in a worker thread.
 */
export const smallSet = { bytes: 4096, patterns: 500 };

/** Sets stored before limits existed are decided up to this size, with the thread's budget. */
export const maxBytesDecided = 2 * setLimits.bytes;
