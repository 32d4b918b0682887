const sources = ['messenger', 'email', 'idp'] as const;
export type Source = (typeof sources)[number];

/** A request to /webhooks. */
export interface Delivery {
  number: number;
  source: Source;
  method: string;
  path: string;
  /** Names and values in turn, so that a name can come twice. */
  headers: readonly string[];
  body: Buffer;
  /** `odd`: written unlike a real platform would, but indistinguishable from a right one. */
  secret: 'right' | 'wrong' | 'odd';
  /** Less is sent than announced: there may be no answer. */
  isCutOff?: boolean;
  /** The change made to it, for people. */
  trick: string;
}

/** Part of every text of a delivery, so that stored text can be found. */
export const markOf = (run: string, number: number): string => `zm${run}n${number}e`;
