import { expect, test } from 'vitest';
import { ill } from './illBuckets';

test('there is nothing to show when all is well', () => {
  expect(ill({ buckets: 12, offline: 0, underMinInsync: 0, underReplicated: 0, moving: 0 })).toEqual([]);
});

test('the worst comes first', () => {
  const kinds = ill({ buckets: 12, offline: 1, underMinInsync: 0, underReplicated: 4, moving: 2 });
  expect(kinds.map((kind) => [kind.state, kind.buckets])).toEqual([
    ['offline', 1],
    ['under-replicated', 4],
    ['moving', 2],
  ]);
});
