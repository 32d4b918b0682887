import { describe, expect, test } from 'vitest';
import { inSequence } from '../../../src/answering/store/turn-view.ts';
import { lastNotice } from '../../../src/conversations/store/notice-positions.ts';

const said = (seq: number) => ({ name: `in ${seq}`, direction: 'in' as const, seq, afterSeq: null });
const reply = (seq: number, afterSeq: number | null) => ({
  name: `out ${seq}`,
  direction: 'out' as const,
  seq,
  afterSeq,
});
const notice = (number: number, afterSeq: number | null) => ({
  name: `notice ${number}`,
  direction: 'in' as const,
  seq: lastNotice - 100 + number,
  afterSeq,
});
type Row = ReturnType<typeof said> | ReturnType<typeof reply> | ReturnType<typeof notice>;

/** Passed and returned in reading order, though both are newest first. */
const order = (...rows: Row[]) =>
  inSequence(rows.toReversed())
    .map(({ name }) => name)
    .reverse();

describe('messages before a turn are in the order of the conversation', () => {
  test('regardless of the clocks of their writers: a reply follows the message that it answers', () => {
    expect(order(reply(1, 1), reply(2, 2), said(1), said(2))).toEqual(['in 1', 'out 1', 'in 2', 'out 2']);
  });

  test('a late message is in its position, with its reply', () => {
    expect(order(said(4), reply(1, 4), said(5), reply(2, 5), said(3), reply(3, 3))).toEqual([
      'in 3',
      'out 3',
      'in 4',
      'out 1',
      'in 5',
      'out 2',
    ]);
  });

  test('messages that were answered together precede their reply, and the next one follows it', () => {
    expect(order(said(1), said(2), said(3), reply(1, 2), reply(2, 3))).toEqual([
      'in 1',
      'in 2',
      'out 1',
      'in 3',
      'out 2',
    ]);
  });

  test("a notice is at the conversation's position, and messages about it follow", () => {
    expect(order(said(1), reply(1, 1), notice(1, 1), reply(2, 1), said(2), reply(3, 2))).toEqual([
      'in 1',
      'out 1',
      'notice 1',
      'out 2',
      'in 2',
      'out 3',
    ]);
  });

  test('replies of an earlier release, without a position, stay after the messages before them', () => {
    expect(order(said(1), reply(1, null), said(2), reply(2, null), said(3), reply(3, 3))).toEqual([
      'in 1',
      'out 1',
      'in 2',
      'out 2',
      'in 3',
      'out 3',
    ]);
  });
});
