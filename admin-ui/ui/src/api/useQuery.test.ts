import { describe, expect, it } from 'vitest';
import { addressOf } from './useQuery';

describe('addressOf', () => {
  it('escapes what goes into the path', () => {
    expect(addressOf('/api/v1/tables/{database}/{table}', { path: { database: 'demo', table: 'a/b?c' } })).toBe(
      '/api/v1/tables/demo/a%2Fb%3Fc',
    );
  });

  it('leaves out parameters without a value', () => {
    expect(addressOf('/api/v1/tables', { query: { nameContains: '', offset: 0, database: undefined, limit: 50 } })).toBe(
      '/api/v1/tables?offset=0&limit=50',
    );
    expect(addressOf('/api/v1/tables', {})).toBe('/api/v1/tables');
  });
});
