import type { GroupName } from '../planned-call.ts';

/**
 * Words that identify their author in all written texts: the 17th call, made by group A in the world `w1`, writes
 * `zqw1xA17q`. A planned call leaves the world open.
 */
export const canaryOf = (group: string, number: number): string => `zq{{world}}x${group}${number}q`;

/** A canary for a secret, which must never be readable again, not even by its author. */
export const secretCanary = (number: number): string => `zs{{world}}s${number}s`;

interface Canary {
  word: string;
  group: GroupName;
}

/** Finds the canaries of a world in a text. */
export function canariesIn(text: string, world: string): Canary[] {
  return [...text.matchAll(new RegExp(`zq${world}x([ABC])\\d+q`, 'g'))].map(([word, group]) => ({
    word,
    group: group as GroupName,
  }));
}

export const hasSecret = (text: string, world: string): boolean => new RegExp(`zs${world}s\\d+s`).test(text);
