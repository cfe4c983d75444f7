import { age, count, duration } from '../shared/format';
import { holdOf, isBroken, isLate, lagRatio, nameOf, type TieringSummary, type TieringTable, type TieringWorker } from './queue';

/** Something that is wrong, with what an operator wants to know first. */
export interface Finding {
  key: string;
  tone: 'bad' | 'warn';
  title: string;
  sinceMs: number | undefined;
  why: string;
  action: string;
  /** To paste into a shell. */
  command: string | undefined;
}

/** The queue in one sentence and the reasons for it, the worst first. */
export interface Verdict {
  tone: 'good' | 'warn' | 'bad';
  headline: string;
  findings: Finding[];
}

/** Says whether anything is late or failing, since when, why, and what can be done. */
export function verdictOf(summary: TieringSummary, tables: readonly TieringTable[], workers: readonly TieringWorker[]): Verdict {
  const found = [...clusterFindings(summary, tables, workers), ...tableFindings(summary, tables)];
  const findings = [...found.filter((finding) => finding.tone === 'bad'), ...found.filter((finding) => finding.tone === 'warn')];
  const tone = findings.some((finding) => finding.tone === 'bad') ? 'bad' : findings.length > 0 ? 'warn' : 'good';
  return { tone, headline: headlineOf(summary, tables, findings), findings };
}

function headlineOf(summary: TieringSummary, tables: readonly TieringTable[], findings: Finding[]): string {
  const broken = tables.filter(isBroken).length;
  const late = tables.filter((table) => !isBroken(table) && isLate(table)).length;
  const parts = [broken > 0 ? `${count(broken)} failing` : '', late > 0 ? `${count(late)} late` : ''].filter((part) => part !== '');
  if (parts.length > 0) {
    const lake = summary.lakeBreakerOpen ? 'The lake is failing: ' : '';
    return `${lake}${parts.join(', ')} of ${count(tables.length)} ${tables.length === 1 ? 'table' : 'tables'}`;
  }
  if (findings.length > 0) {
    return summary.lakeBreakerOpen ? 'The lake is failing' : 'Tiering workers are missing';
  }
  const waiting = tables.filter((table) => holdOf(table) !== 'paused');
  const worst = waiting.reduce<TieringTable | undefined>((a, b) => (a === undefined || lagRatio(b) > lagRatio(a) ? b : a), undefined);
  const all = tables.length === 1 ? 'The table is' : `All ${count(tables.length)} tables are`;
  return worst === undefined ? 'Nothing is late' : `${all} on time: the worst lag is ${age(worst.tierLagMs)}, late from ${duration(2 * worst.freshnessMs)}`;
}

function clusterFindings(summary: TieringSummary, tables: readonly TieringTable[], workers: readonly TieringWorker[]): Finding[] {
  const findings: Finding[] = [];
  if (summary.lakeBreakerOpen) {
    findings.push({
      key: 'breaker',
      tone: 'bad',
      title: 'The lake is failing: no rounds are started',
      sinceMs: newestLakeFailure(tables),
      why: summary.lakeFailure ?? 'The catalog or the warehouse does not answer.',
      action: 'It is probed once a minute, and rounds go on by themselves when it answers. No rows are lost: they stay in the log.',
      command: './sluice logs lake-1',
    });
  }
  if (summary.workersAlive < summary.workersExpected && tables.length > 0) {
    findings.push(workersFinding(summary, workers.filter((worker) => worker.state !== 'ALIVE')));
  }
  return findings;
}

function workersFinding(summary: TieringSummary, missing: readonly TieringWorker[]): Finding {
  const none = summary.workersAlive === 0;
  const [first] = missing;
  const id = first?.workerId ?? 'tiering-1';
  return {
    key: 'workers',
    tone: none ? 'bad' : 'warn',
    title: none ? 'No tiering worker is alive' : `${summary.workersAlive} of ${summary.workersExpected} tiering workers are alive`,
    sinceMs: first?.state === 'LOST' ? first.lastReportMs : undefined,
    why:
      first === undefined
        ? 'No other has reported since the coordinator started.'
        : missing
            .map((worker) => `${worker.workerId} is ${worker.state.toLowerCase()}${worker.drainReason === undefined ? '' : `: ${worker.drainReason}`}`)
            .join('; '),
    action: none ? 'Rows stay in the log until one is back.' : 'The others take over its tables.',
    command: `./sluice logs ${id}\n./sluice restart ${id}`,
  };
}

function tableFindings(summary: TieringSummary, tables: readonly TieringTable[]): Finding[] {
  return tables
    .filter((table) => isBroken(table) || isLate(table))
    .sort((a, b) => severity(a) - severity(b) || lagRatio(b) - lagRatio(a))
    .map((table) => findingOf(summary, table));
}

function severity(table: TieringTable): number {
  return holdOf(table) !== undefined ? 0 : isBroken(table) ? 1 : 2;
}

function findingOf(summary: TieringSummary, table: TieringTable): Finding {
  const name = nameOf(table);
  const hold = holdOf(table);
  const cause = table.lastFailure?.cause;
  if (hold === 'regressed') {
    return {
      key: name,
      tone: 'bad',
      title: `${name}: the lake table is behind what was committed`,
      sinceMs: table.stateSinceMs,
      why: table.holdReason ?? 'Somebody rolled the lake table back.',
      action: 'No rounds run, so that no rows are written twice. Bring back the newer snapshot in the catalog, then resume.',
      command: undefined,
    };
  }
  if (hold === 'quarantined') {
    return {
      key: name,
      tone: 'bad',
      title: `${name} is quarantined after ${count(table.failures)} failures in a row`,
      sinceMs: table.lastFailure?.atMs ?? table.stateSinceMs,
      why: cause ?? table.holdReason ?? 'The cause was not reported.',
      action: 'It is not tried again by itself. Remove the cause, then resume.',
      command: undefined,
    };
  }
  if (table.group === 'FAILED') {
    return {
      key: name,
      tone: 'bad',
      title: `${name} failed${table.failures > 1 ? ` ${count(table.failures)} times in a row` : ''}`,
      sinceMs: table.lastFailure?.atMs ?? table.stateSinceMs,
      why: cause ?? 'The worker stopped reporting during the round.',
      action: 'It is tried again by itself after a pause that doubles from 10 s to 10 min, and quarantined after 10 failures.',
      command: undefined,
    };
  }
  return lateFinding(summary, table);
}

function lateFinding(summary: TieringSummary, table: TieringTable): Finding {
  const name = nameOf(table);
  const stuck = summary.lakeBreakerOpen || summary.workersAlive === 0;
  return {
    key: name,
    tone: 'warn',
    title: `${name} is late: ${age(table.tierLagMs)} behind, freshness is ${duration(table.freshnessMs)}`,
    sinceMs: summary.nowMs - table.tierLagMs + 2 * table.freshnessMs,
    why: lateReason(summary, table),
    action: stuck
      ? 'It follows by itself when that is mended; its rows stay in the log.'
      : table.group === 'TIERING'
        ? 'A round that makes progress needs nothing. If it is late again and again: more slots (sluice.tiering.slots), more workers, or a longer table.datalake.freshness.'
        : 'If workers are busy all the time: more slots (sluice.tiering.slots), more workers, or a longer table.datalake.freshness.',
    command: undefined,
  };
}

function lateReason(summary: TieringSummary, table: TieringTable): string {
  if (summary.lakeBreakerOpen) {
    return 'No rounds are started while the lake is failing.';
  }
  if (summary.workersAlive === 0) {
    return 'No worker is alive to run its round.';
  }
  if (table.group === 'TIERING') {
    return `A round runs on ${table.worker ?? 'a worker'} for ${age(summary.nowMs - table.stateSinceMs)}${table.phase === undefined ? '' : ` (${table.phase.toLowerCase()})`}, ${count(table.roundRows)} rows so far.`;
  }
  if (table.group === 'READY') {
    return `It waits for a free slot for ${age(summary.nowMs - table.stateSinceMs)}.`;
  }
  return table.lastFailure === undefined ? 'Its next round is not due yet.' : `Its last failure: ${table.lastFailure.cause}`;
}

/** The breaker's own time is not reported; the newest failure of the lake is the nearest to it. */
function newestLakeFailure(tables: readonly TieringTable[]): number | undefined {
  const times = tables
    .map((table) => table.lastFailure)
    .filter((failure) => failure?.scope.toUpperCase() === 'LAKE')
    .map((failure) => failure?.atMs ?? 0);
  return times.length === 0 ? undefined : Math.max(...times);
}
