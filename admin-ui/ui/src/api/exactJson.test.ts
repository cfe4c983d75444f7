import { describe, expect, it } from 'vitest';
import { parseExactJson } from './exactJson';

describe('parseExactJson', () => {
  it('keeps every digit of integers beyond 2^53', () => {
    expect(parseExactJson('{"snapshotId": 8723456789012345678, "rows": 12}')).toEqual({
      snapshotId: '8723456789012345678',
      rows: 12,
    });
    expect(parseExactJson('[-9223372036854775808, 9007199254740991, -1]')).toEqual(['-9223372036854775808', 9007199254740991, -1]);
  });

  it('keeps decimals with more digits than a double, and doubles as numbers', () => {
    expect(parseExactJson('[12345678901234567.89, 0.1, 3.141592653589793, 1e3]')).toEqual([
      '12345678901234567.89',
      0.1,
      3.141592653589793,
      1000,
    ]);
  });

  it('does not touch digits inside strings, however they are quoted', () => {
    const value = { 'a"8723456789012345678': 'x: 8723456789012345678, \\"9"', b: '\\' };
    expect(parseExactJson(JSON.stringify(value))).toEqual(value);
  });

  it('refuses what is not JSON', () => {
    expect(() => parseExactJson('<html>')).toThrow();
  });
});
