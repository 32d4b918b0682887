export const sources = ['messenger', 'email', 'idp'] as const;
export type Source = (typeof sources)[number];

/** Something that is posted to /webhooks. */
export interface Delivery {
  number: number;
  source: Source;
  method: string;
  path: string;
  /** Names and values one after the other, so that a name can come twice. */
  headers: readonly string[];
  body: Buffer;
  /** `odd`: written as a real platform wouldn't, and yet not to be told from right. */
  secret: 'right' | 'wrong' | 'odd';
  /** Less is sent than was told: there may be no answer. */
  isCutOff?: boolean;
  /** What was done to it, for people. */
  trick: string;
}

/** Stands in whatever a delivery tells, so that it can be found wherever it is stored. */
export const markOf = (run: string, number: number): string => `zm${run}n${number}e`;
