import type { TieringSummary, TieringTable } from './queue';

/** A healthy table for tests; what a test is about it says itself. */
export function sampleTable(changes: Partial<TieringTable> = {}): TieringTable {
  return {
    tableId: 1,
    database: 'demo',
    table: 'flights',
    state: 'SCHEDULED',
    group: 'WAITING',
    freshnessMs: 10_000,
    epoch: 3,
    roundRows: 0,
    roundBytes: 0,
    stateSinceMs: 100_000,
    tierLagMs: 5_000,
    late: false,
    failures: 0,
    failuresTotal: 0,
    offsets: [],
    ...changes,
  };
}

/** A healthy queue for tests. */
export function sampleSummary(changes: Partial<TieringSummary> = {}): TieringSummary {
  return {
    nowMs: 200_000,
    counts: { waiting: 1, ready: 0, tiering: 0, done: 0, failed: 0, held: 0 },
    workersAlive: 1,
    workersExpected: 1,
    lakeBreakerOpen: false,
    pollIntervalMs: 30_000,
    workerTimeoutMs: 120_000,
    ...changes,
  };
}
