import { describe, expect, it } from 'vitest';
import { groupFilter, lagBar, nameOf, shownTables, wantsAttention } from './queue';
import { sampleTable } from './samples';

const healthy = sampleTable({ table: 'b_healthy' });
const other = sampleTable({ table: 'a_other', tierLagMs: 9_000 });
const late = sampleTable({ table: 'late', tierLagMs: 30_000, late: true });
const later = sampleTable({ table: 'later', tierLagMs: 90_000, late: true, group: 'TIERING' });
const failed = sampleTable({ table: 'failed', group: 'FAILED', state: 'FAILED' });
const paused = sampleTable({ table: 'c_paused', hold: 'PAUSED', late: true, tierLagMs: 900_000 });
const all = [healthy, paused, late, other, failed, later];

function names(filter: Parameters<typeof shownTables>[1]): string[] {
  return shownTables(all, filter).map((table) => table.table);
}

describe('shownTables', () => {
  it('puts broken tables first, then late ones by lateness, and the calm ones by name', () => {
    expect(names({ group: undefined, search: '' })).toEqual(['failed', 'later', 'late', 'a_other', 'b_healthy', 'c_paused']);
  });

  it('filters by group, hold, lateness and name', () => {
    expect(names({ group: 'FAILED', search: '' })).toEqual(['failed']);
    expect(names({ group: 'HELD', search: '' })).toEqual(['c_paused']);
    expect(names({ group: 'LATE', search: '' })).toEqual(['later', 'late']);
    expect(names({ group: undefined, search: ' DEMO.lat ' })).toEqual(['later', 'late']);
  });
});

describe('attention', () => {
  it('is not wanted for what somebody paused', () => {
    expect(all.filter(wantsAttention).map(nameOf)).toEqual(['demo.late', 'demo.failed', 'demo.later']);
  });

  it('is wanted for quarantined and regressed tables in any state', () => {
    expect(wantsAttention(sampleTable({ hold: 'quarantined' }))).toBe(true);
    expect(wantsAttention(sampleTable({ hold: 'REGRESSED' }))).toBe(true);
  });
});

describe('lagBar', () => {
  it('is full at twice the freshness', () => {
    expect(lagBar(sampleTable({ tierLagMs: 10_000 }))).toEqual({ percent: 50, tone: 'good' });
    expect(lagBar(sampleTable({ tierLagMs: 15_000 }))).toEqual({ percent: 75, tone: 'warn' });
    expect(lagBar(sampleTable({ tierLagMs: 1e9 }))).toEqual({ percent: 100, tone: 'bad' });
    expect(lagBar(paused).tone).toBe('quiet');
  });
});

describe('groupFilter', () => {
  it('takes known groups only', () => {
    expect(['failed', 'HELD', 'LATE', 'x', null].map(groupFilter)).toEqual(['FAILED', 'HELD', 'LATE', undefined, undefined]);
  });
});
