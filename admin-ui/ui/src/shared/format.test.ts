import { describe, expect, it } from 'vitest';
import { absolute, age, bytes, clock, count, duration, relative } from './format';

describe('format', () => {
  it('writes sizes in binary units', () => {
    expect([0, 1023, 1024, 1_048_064, 268_435_456, 1_234_567_890].map(bytes)).toEqual([
      '0 B',
      '1023 B',
      '1.00 KiB',
      '1.00 MiB',
      '256 MiB',
      '1.15 GiB',
    ]);
  });

  it('writes counts with their thousands apart', () => {
    expect([0, 999, 1000, 1234567].map(count)).toEqual(['0', '999', '1,000', '1,234,567']);
  });

  it('writes durations in at most two units', () => {
    expect([850, 4_250, 12_900, 180_000, 185_000, 754_000, 8_040_000, 273_600_000].map(duration)).toEqual([
      '850 ms',
      '4.2 s',
      '12 s',
      '3 min',
      '3 min 05 s',
      '12 min',
      '2 h 14 min',
      '3 d 04 h',
    ]);
    expect([300, 2_900].map(age)).toEqual(['0 s', '2 s']);
  });

  it('writes times relative to the clock it is given', () => {
    expect(relative(10_000, 22_000)).toBe('12 s ago');
    expect(relative(40_000, 22_000)).toBe('in 18 s');
    expect(relative(22_000, 220_000)).toBe('3 min ago');
    expect(relative(22_400, 22_000)).toBe('now');
  });

  it('writes absolute times with milliseconds and zone, the same in every language', () => {
    expect(absolute(1_672_647_300_792, -480)).toBe('2023-01-02 00:15:00.792 -08:00');
    expect(absolute(1_672_647_300_792, 0)).toBe('2023-01-02 08:15:00.792 UTC');
    expect(absolute(1_672_647_300_792, 345)).toBe('2023-01-02 14:00:00.792 +05:45');
  });

  it('names the day of a clock time only when it is not today', () => {
    expect(clock(1_672_647_300_792, 1_672_650_000_000, 0)).toBe('08:15:00');
    expect(clock(1_672_647_300_792, 1_672_750_000_000, 0)).toBe('2023-01-02 08:15:00');
  });
});
