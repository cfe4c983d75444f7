import { describe, expect, it } from 'vitest';
import { routeOf, tableAddress, withQuery } from './router';

describe('router', () => {
  it('finds pages by their path', () => {
    expect(routeOf('/')).toEqual({ page: 'tiering' });
    expect(routeOf('/tiering')).toEqual({ page: 'tiering' });
    expect(routeOf('/servers/')).toEqual({ page: 'servers' });
    expect(routeOf('/tables/demo/flights')).toEqual({ page: 'table', database: 'demo', table: 'flights' });
    expect(routeOf('/tables/demo')).toEqual({ page: 'unknown' });
    expect(routeOf('/nothing')).toEqual({ page: 'unknown' });
    expect(routeOf('/tables/%/x')).toEqual({ page: 'unknown' });
  });

  it('addresses tables with any name', () => {
    expect(routeOf(tableAddress('demo', 'a/b c'))).toEqual({ page: 'table', database: 'demo', table: 'a/b c' });
  });

  it('changes parts of a query', () => {
    expect(withQuery('/tiering', '?group=FAILED&page=2', { group: undefined, search: 'a b' })).toBe('/tiering?page=2&search=a+b');
    expect(withQuery('/tiering', '?group=FAILED', { group: '' })).toBe('/tiering');
  });
});
