import type { GroupName } from '../planned-call.ts';

/**
 * Words that say whose they are, in whatever is written: `zqw1A17q` was written by a call of group A, the 17th, in the
 * world `w1`. In a planned call the world is left open.
 */
export const canaryOf = (group: string, number: number): string => `zq{{world}}x${group}${number}q`;

/** A secret, which must never be readable again, not even by its author. */
export const secretCanary = (number: number): string => `zs{{world}}s${number}s`;

interface Canary {
  word: string;
  group: GroupName;
}

/** The canaries of a world in a text. */
export function canariesIn(text: string, world: string): Canary[] {
  return [...text.matchAll(new RegExp(`zq${world}x([ABC])\\d+q`, 'g'))].map(([word, group]) => ({
    word,
    group: group as GroupName,
  }));
}

export const hasSecret = (text: string, world: string): boolean => new RegExp(`zs${world}s\\d+s`).test(text);
