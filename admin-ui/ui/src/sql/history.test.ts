import { describe, expect, it } from 'vitest';
import { readHistory, remembered, written } from './history';

describe('history', () => {
  it('has each statement once, the latest first', () => {
    expect(remembered(['SELECT 1', 'SELECT 2'], ' SELECT 2 ')).toEqual(['SELECT 2', 'SELECT 1']);
  });

  it('is bounded', () => {
    const many = Array.from({ length: 40 }, (_, i) => `SELECT ${i}`).reduce<readonly string[]>(remembered, []);
    expect(many).toHaveLength(30);
    expect(remembered(many, 'x'.repeat(10_001))).toBe(many);
    expect(remembered(many, '  ')).toBe(many);
  });

  it('survives being stored, and whatever else may be stored there', () => {
    expect(readHistory(written(['SELECT 1']))).toEqual(['SELECT 1']);
    expect([null, '{', '{}', '[1, "a"]'].map(readHistory)).toEqual([[], [], [], ['a']]);
  });
});
