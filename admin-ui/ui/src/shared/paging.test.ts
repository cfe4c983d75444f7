import { describe, expect, it } from 'vitest';
import { pageNumber, pageOf } from './paging';

describe('paging', () => {
  it('cuts pages', () => {
    expect(pageOf([1, 2, 3, 4, 5], 1, 2)).toEqual({ items: [3, 4], page: 1, pages: 3 });
  });

  it('stays inside a list that has shrunk', () => {
    expect(pageOf([1, 2, 3], 9, 2)).toEqual({ items: [3], page: 1, pages: 2 });
    expect(pageOf([], 3, 2)).toEqual({ items: [], page: 0, pages: 1 });
  });

  it('reads page numbers that people count from one', () => {
    expect([null, '1', '3', '0', '-2', 'x', '1.5'].map(pageNumber)).toEqual([0, 0, 2, 0, 0, 0, 0]);
  });
});
