import { describe, expect, it } from 'vitest';
import { lakeState } from './lake';

const queue = { items: [{ database: 'demo', table: 'flights' }], total: 1 };

describe('lakeState', () => {
  it('is on for the tables of the queue and off for others', () => {
    expect(lakeState(queue, 'demo', 'flights')).toBe('on');
    expect(lakeState(queue, 'demo', 'airports')).toBe('off');
  });

  it('is unknown, not off, when the queue is not known or not all of it was read', () => {
    expect(lakeState(undefined, 'demo', 'flights')).toBe('unknown');
    expect(lakeState({ ...queue, total: 2 }, 'demo', 'airports')).toBe('unknown');
  });
});
