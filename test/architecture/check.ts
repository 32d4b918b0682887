/** A rule, and every place that breaks it: `path: what is wrong`. */
export interface Check {
  rule: string;
  faults(): string[];
}

export interface AsyncCheck {
  rule: string;
  faults(): Promise<string[]>;
}
