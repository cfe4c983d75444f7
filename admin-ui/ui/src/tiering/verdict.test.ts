import { describe, expect, it } from 'vitest';
import { sampleSummary, sampleTable } from './samples';
import { verdictOf } from './verdict';

describe('verdictOf', () => {
  it('says how far the worst table is from being late when all is well', () => {
    const verdict = verdictOf(sampleSummary(), [sampleTable(), sampleTable({ table: 'b', tierLagMs: 9_000 })], []);
    expect(verdict).toEqual({
      tone: 'good',
      headline: 'All 2 tables are on time: the worst lag is 9 s, late from 20 s',
      findings: [],
    });
  });

  it('puts the lake first, then workers, then tables by how bad they are', () => {
    const verdict = verdictOf(sampleSummary({ lakeBreakerOpen: true, lakeFailure: 'catalog: connection refused', workersAlive: 0 }), [
      sampleTable({ table: 'late', late: true, tierLagMs: 25_000 }),
      sampleTable({ table: 'failed', group: 'FAILED', failures: 3, lastFailure: { cause: 'disk', scope: 'TABLE', atMs: 5 } }),
      sampleTable({ table: 'poisoned', group: 'FAILED', hold: 'quarantined', failures: 10 }),
    ], []);
    expect(verdict.tone).toBe('bad');
    expect(verdict.headline).toBe('The lake is failing: 2 failing, 1 late of 3 tables');
    expect(verdict.findings.map((finding) => finding.key)).toEqual(['breaker', 'workers', 'demo.poisoned', 'demo.failed', 'demo.late']);
    expect(verdict.findings[0]?.why).toBe('catalog: connection refused');
    expect(verdict.findings[3]).toMatchObject({ title: 'demo.failed failed 3 times in a row', sinceMs: 5, why: 'disk' });
  });

  it('dates lateness from when it began, not from the last commit', () => {
    const [finding] = verdictOf(sampleSummary(), [sampleTable({ late: true, tierLagMs: 50_000 })], []).findings;
    expect(finding?.sinceMs).toBe(200_000 - 50_000 + 20_000);
  });

  it('does not report what somebody paused, nor missing workers that nobody needs', () => {
    expect(verdictOf(sampleSummary(), [sampleTable({ hold: 'paused', late: true, tierLagMs: 1e7 })], []).findings).toEqual([]);
    expect(verdictOf(sampleSummary({ workersAlive: 0 }), [], []).findings).toEqual([]);
  });

  it('names the worker that is missing and why, after what is worse', () => {
    const lost = { workerId: 'w2', slots: 2, tables: 0, state: 'DRAINED', drainReason: 'disk full', lastReportMs: 7, connectedMs: 1 };
    const failed = sampleTable({ group: 'FAILED' });
    const { findings } = verdictOf(sampleSummary({ workersExpected: 2 }), [failed], [lost]);
    expect(findings.map((finding) => finding.key)).toEqual(['demo.flights', 'workers']);
    expect(findings[1]).toMatchObject({ tone: 'warn', why: 'w2 is drained: disk full', sinceMs: undefined, command: './sluice logs w2\n./sluice restart w2' });
  });

  it('does not blame slots while the lake fails or no worker is there', () => {
    const ready = sampleTable({ late: true, tierLagMs: 40_000, group: 'READY' });
    const reason = (changes: Parameters<typeof sampleSummary>[0]) => verdictOf(sampleSummary(changes), [ready], []).findings.at(-1)?.why;
    expect(reason({ lakeBreakerOpen: true })).toBe('No rounds are started while the lake is failing.');
    expect(reason({ workersAlive: 0 })).toBe('No worker is alive to run its round.');
  });

  it('says what is wrong with the cluster while no table is late yet', () => {
    expect(verdictOf(sampleSummary({ lakeBreakerOpen: true }), [sampleTable()], []).headline).toBe('The lake is failing');
    expect(verdictOf(sampleSummary({ workersAlive: 0 }), [sampleTable()], []).headline).toBe('Tiering workers are missing');
  });

  it('tells a running round from waiting for a slot', () => {
    const reasons = [
      sampleTable({ late: true, tierLagMs: 50_000, group: 'TIERING', worker: 'w1', phase: 'WRITE', roundRows: 1200, stateSinceMs: 190_000 }),
      sampleTable({ table: 'b', late: true, tierLagMs: 40_000, group: 'READY', stateSinceMs: 170_000 }),
    ];
    expect(verdictOf(sampleSummary(), reasons, []).findings.map((finding) => finding.why)).toEqual([
      'A round runs on w1 for 10 s (write), 1,200 rows so far.',
      'It waits for a free slot for 30 s.',
    ]);
  });
});
