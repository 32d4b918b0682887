/** The newest change of each reaction of a person to a message, by the platform's name of it. */
export type StoredReactions = Readonly<Record<string, StoredReaction>>;

export interface StoredReaction {
  /** `null`: it was taken back. */
  rating: 'up' | 'down' | null;
  at: string;
}
