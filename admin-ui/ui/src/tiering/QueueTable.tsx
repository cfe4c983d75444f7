import { Fragment } from 'react';
import { Link } from '../app/Link';
import { tableAddress } from '../app/router';
import { Ago } from '../shared/Ago';
import { Badge } from '../shared/Badge';
import { age, bytes, count, duration } from '../shared/format';
import { GROUPS, holdOf, isLate, lagBar, nameOf, type TieringTable } from './queue';
import { RowDetail } from './RowDetail';

const COLUMNS = 7;

interface RowActions {
  onToggle(table: TieringTable): void;
  onHold(table: TieringTable, action: 'pause' | 'resume'): void;
}

/** The tables of the queue, each with what runs, what ran last and what failed. */
export function QueueTable({
  tables,
  opened,
  nowMs,
  ...actions
}: { tables: TieringTable[]; opened: string | undefined; nowMs: number } & RowActions) {
  return (
    <div className="table-box">
      <table className="rows queue">
        <caption className="visually-hidden">Tables that go to the lake, those that want attention first</caption>
        <thead>
          <tr>
            <th scope="col">Table</th>
            <th scope="col">State</th>
            <th scope="col" title="Time since the last commit, against the freshness asked for. Late is twice the freshness.">
              Lag / freshness
            </th>
            <th scope="col">Worker and round</th>
            <th scope="col">Last round</th>
            <th scope="col">Failures</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tables.map((table) => (
            <Fragment key={table.tableId}>
              <QueueRow table={table} open={nameOf(table) === opened} nowMs={nowMs} {...actions} />
              {nameOf(table) === opened && (
                <tr className="detail-row" id={`detail-${table.tableId}`}>
                  <td colSpan={COLUMNS}>
                    <RowDetail table={table} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function QueueRow({
  table,
  open,
  nowMs,
  onToggle,
  onHold,
}: { table: TieringTable; open: boolean; nowMs: number } & RowActions) {
  const name = nameOf(table);
  const held = holdOf(table) !== undefined;
  return (
    <tr className={isLate(table) || table.group === 'FAILED' ? 'row-attention' : undefined} data-table={name}>
      <th scope="row" className="cell-name">
        <button
          type="button"
          className="expand"
          aria-expanded={open}
          aria-controls={open ? `detail-${table.tableId}` : undefined}
          aria-label={`${open ? 'Hide' : 'Show'} details of ${name}`}
          onClick={() => onToggle(table)}
        >
          <span aria-hidden="true">{open ? '▾' : '▸'}</span>
        </button>
        <Link to={tableAddress(table.database, table.table)}>
          <span className="muted">{table.database}.</span>
          {table.table}
        </Link>
      </th>
      <td data-label="State">
        <StateCell table={table} nowMs={nowMs} />
      </td>
      <td data-label="Lag / freshness">
        <LagCell table={table} />
      </td>
      <td data-label="Worker and round">
        <RoundCell table={table} />
      </td>
      <td data-label="Last round">
        <LastRoundCell table={table} />
      </td>
      <td data-label="Failures">
        <FailureCell table={table} onToggle={() => onToggle(table)} open={open} />
      </td>
      <td className="cell-actions">
        <button type="button" onClick={() => onHold(table, held ? 'resume' : 'pause')} aria-label={`${held ? 'Resume' : 'Pause'} ${name}`}>
          {held ? 'Resume' : 'Pause'}
        </button>
      </td>
    </tr>
  );
}

function StateCell({ table, nowMs }: { table: TieringTable; nowMs: number }) {
  const group = GROUPS.find((each) => each.group === table.group);
  const hold = holdOf(table);
  return (
    <>
      <span className="badges">
        <Badge tone={group?.tone ?? 'quiet'} title={group?.hint ?? ''}>
          {table.state}
        </Badge>
        {hold !== undefined && (
          <Badge tone={hold === 'paused' ? 'warn' : 'bad'} title={table.holdReason ?? ''}>
            {hold}
          </Badge>
        )}
      </span>
      <div className="second">for {age(nowMs - table.stateSinceMs)}</div>
    </>
  );
}

function LagCell({ table }: { table: TieringTable }) {
  const bar = lagBar(table);
  return (
    <div className="lag">
      <div className="lag-numbers">
        <span className={`lag-${bar.tone}`}>{age(table.tierLagMs)}</span>
        <span className="muted"> / {duration(table.freshnessMs)}</span>
        {isLate(table) && <span className="late">late</span>}
      </div>
      <div className="bar" aria-hidden="true">
        <div className={`bar-fill bar-${bar.tone}`} style={{ width: `${bar.percent}%` }} />
        <div className="bar-mark" />
      </div>
    </div>
  );
}

function RoundCell({ table }: { table: TieringTable }) {
  if (table.group !== 'TIERING') {
    return table.dueMs === undefined || holdOf(table) !== undefined ? (
      <span className="muted">–</span>
    ) : (
      <span className="muted">
        due <Ago ms={table.dueMs} />
      </span>
    );
  }
  return (
    <>
      <div>
        {table.worker ?? 'a worker'}
        <span className="muted"> · {(table.phase ?? 'starting').toLowerCase()}</span>
      </div>
      <div className="second">
        {count(table.roundRows)} rows · {bytes(table.roundBytes)}
      </div>
    </>
  );
}

function LastRoundCell({ table }: { table: TieringTable }) {
  const round = table.lastRound;
  if (round === undefined) {
    return <span className="muted">none yet</span>;
  }
  return (
    <>
      <div>
        <Ago ms={round.committedMs} />
        <span className="muted"> · {count(round.rows)} rows</span>
      </div>
      <div className="second">
        {bytes(round.bytes)} · {count(round.files)} {round.files === 1 ? 'file' : 'files'}
        {round.durationMs !== undefined && ` · ${duration(round.durationMs)}`}
      </div>
    </>
  );
}

function FailureCell({ table, open, onToggle }: { table: TieringTable; open: boolean; onToggle(): void }) {
  const failure = table.lastFailure;
  if (failure === undefined && table.failuresTotal === 0) {
    return <span className="muted">none</span>;
  }
  return (
    <>
      <div title={`${count(table.failuresTotal)} in all`}>
        <span className={table.failures > 0 ? 'lag-bad' : 'muted'}>{table.failures > 0 ? `${count(table.failures)} in a row` : 'none now'}</span>
      </div>
      {failure !== undefined && (
        <button type="button" className="plain second cause" title={failure.cause} aria-expanded={open} onClick={onToggle}>
          {failure.cause}
        </button>
      )}
    </>
  );
}
