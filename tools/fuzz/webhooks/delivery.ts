/** A request to /webhooks. */
export interface Delivery {
  number: number;
  /** The platform that it imitates. */
  source: string;
  method: string;
  path: string;
  /** Alternating names and values, so that a name can occur twice. */
  headers: readonly string[];
  body: Buffer;
  /** `odd` is written differently from a real platform's, but can't be distinguished from a right one. */
  secret: 'right' | 'wrong' | 'odd';
  /** True if less is sent than announced. There may be no response. */
  isCutOff?: boolean;
  /** Describes the change to the delivery. */
  trick: string;
}

/** Returns the mark in every text of a delivery, by which stored text can be found. */
export const markOf = (run: string, number: number): string => `zm${run}n${number}e`;
