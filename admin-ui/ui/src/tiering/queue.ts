import type { components } from '../api/schema';
import type { Tone } from '../shared/Badge';

export type TieringTable = components['schemas']['TieringTable'];
export type TieringSummary = components['schemas']['TieringSummary'];
export type TieringGroup = components['schemas']['TieringGroup'];
export type TieringWorker = components['schemas']['TieringWorker'];

/** Why a table starts no rounds, whatever its state. */
export type Hold = 'paused' | 'quarantined' | 'regressed';

/** The groups in the order a table goes through them; FAILED stands apart. */
export const GROUPS: readonly { group: TieringGroup; label: string; tone: Tone; hint: string }[] = [
  { group: 'WAITING', label: 'Waiting', tone: 'quiet', hint: 'Not due yet' },
  { group: 'READY', label: 'Ready', tone: 'info', hint: 'Due; waits for a free slot of a worker' },
  { group: 'TIERING', label: 'Tiering', tone: 'busy', hint: 'A worker runs a round' },
  { group: 'DONE', label: 'Done', tone: 'good', hint: 'Committed; about to wait for the next round' },
  { group: 'FAILED', label: 'Failed', tone: 'bad', hint: 'The last round failed; tried again after a pause' },
];

/** What of the queue is shown. */
export interface QueueFilter {
  group: TieringGroup | 'HELD' | 'LATE' | undefined;
  search: string;
}

/** `database.table`. */
export function nameOf(table: { database: string; table: string }): string {
  return `${table.database}.${table.table}`;
}

/** The hold of a table, if it has one that this console knows. */
export function holdOf(table: TieringTable): Hold | undefined {
  const hold = table.hold?.toLowerCase();
  return hold === 'paused' || hold === 'quarantined' || hold === 'regressed' ? hold : undefined;
}

/** Whether somebody should look: failing, quarantined, regressed, or late without having been paused. */
export function wantsAttention(table: TieringTable): boolean {
  return isBroken(table) || isLate(table);
}

/** Whether the lake copy is late and nobody asked for that. */
export function isLate(table: TieringTable): boolean {
  return table.late && holdOf(table) !== 'paused';
}

/** Whether rounds fail or are stopped because of what went wrong. */
export function isBroken(table: TieringTable): boolean {
  const hold = holdOf(table);
  return table.group === 'FAILED' || hold === 'quarantined' || hold === 'regressed';
}

/** The tables that a filter leaves, those that want attention first. */
export function shownTables(tables: readonly TieringTable[], filter: QueueFilter): TieringTable[] {
  const wanted = filter.search.trim().toLowerCase();
  return tables
    .filter((table) => inGroup(table, filter.group) && nameOf(table).toLowerCase().includes(wanted))
    .sort(byLateness);
}

/**
 * Broken tables, then late ones, each by how many times their freshness has passed; all others by name,
 * so that rows of a healthy queue do not change places while their lag grows and falls.
 */
export function byLateness(a: TieringTable, b: TieringTable): number {
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) {
    return rank;
  }
  const lateness = rankOf(a) < CALM ? lagRatio(b) - lagRatio(a) : 0;
  return lateness !== 0 ? lateness : compareText(nameOf(a), nameOf(b));
}

/** The lag as a multiple of the freshness. */
export function lagRatio(table: TieringTable): number {
  return table.tierLagMs / Math.max(1, table.freshnessMs);
}

/** The lag on a scale that ends at twice the freshness, where a table counts as late. */
export function lagBar(table: TieringTable): { percent: number; tone: Tone } {
  const ratio = lagRatio(table);
  const tone = holdOf(table) === 'paused' ? 'quiet' : ratio > 2 ? 'bad' : ratio > 1 ? 'warn' : 'good';
  return { percent: Math.round(Math.min(1, ratio / 2) * 100), tone };
}

const CALM = 2;

function rankOf(table: TieringTable): number {
  return isBroken(table) ? 0 : isLate(table) ? 1 : CALM;
}

function inGroup(table: TieringTable, group: QueueFilter['group']): boolean {
  switch (group) {
    case undefined:
      return true;
    case 'HELD':
      return table.hold !== undefined && table.hold !== '';
    case 'LATE':
      return isLate(table);
    default:
      return table.group === group;
  }
}

/** A filter value from the address, which anybody can type. */
export function groupFilter(text: string | null): QueueFilter['group'] {
  const known = [...GROUPS.map((each) => each.group), 'HELD', 'LATE'] as const;
  return known.find((group) => group === text?.toUpperCase());
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
