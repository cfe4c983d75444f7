import { Ago } from '../shared/Ago';
import { count, duration } from '../shared/format';
import { holdOf, type TieringTable } from './queue';

const SHOWN_BUCKETS = 64;

/** All that is known of one table in the queue. */
export function RowDetail({ table }: { table: TieringTable }) {
  return (
    <div className="detail">
      <section>
        <h3>Now</h3>
        <dl>
          <Fact name="State">
            {table.state}, since <Ago ms={table.stateSinceMs} />
          </Fact>
          {holdOf(table) !== undefined && <Fact name="On hold">{`${table.hold ?? ''}${table.holdReason ? `: ${table.holdReason}` : ''}`}</Fact>}
          <Fact name="Next round due">{table.dueMs === undefined ? '–' : <Ago ms={table.dueMs} />}</Fact>
          <Fact name="Freshness">{duration(table.freshnessMs)}</Fact>
          <Fact name="Epoch">{count(table.epoch)}</Fact>
          {table.roundId !== undefined && <Fact name="Running round">{table.roundId}</Fact>}
          <Fact name="Table id">{String(table.tableId)}</Fact>
        </dl>
      </section>
      <section>
        <h3>Last round</h3>
        {table.lastRound === undefined ? (
          <p className="muted">No round has been committed yet.</p>
        ) : (
          <dl>
            <Fact name="Committed">
              <Ago ms={table.lastRound.committedMs} />
            </Fact>
            <Fact name="Snapshot">{String(table.lastRound.snapshotId)}</Fact>
            <Fact name="Round">{table.lastRound.roundId}</Fact>
          </dl>
        )}
        <h3>Last failure</h3>
        {table.lastFailure === undefined ? (
          <p className="muted">None.</p>
        ) : (
          <>
            <dl>
              <Fact name="When">
                <Ago ms={table.lastFailure.atMs} />
              </Fact>
              <Fact name="Counted against">{scopeText(table.lastFailure.scope)}</Fact>
              <Fact name="In a row, in all">
                {count(table.failures)}, {count(table.failuresTotal)}
              </Fact>
              <Fact name="Worker">{table.lastFailure.worker ?? '–'}</Fact>
            </dl>
            <pre className="failure-cause" tabIndex={0}>
              {table.lastFailure.cause}
            </pre>
          </>
        )}
      </section>
      <Offsets table={table} />
    </div>
  );
}

function Offsets({ table }: { table: TieringTable }) {
  const shown = table.offsets.slice(0, SHOWN_BUCKETS);
  return (
    <section>
      <h3>In the lake, by bucket</h3>
      {shown.length === 0 ? (
        <p className="muted">Nothing yet.</p>
      ) : (
        <div className="offsets">
          <table className="rows small">
            <thead>
              <tr>
                <th scope="col">Bucket</th>
                <th scope="col" className="number" title="Rows of the bucket below this offset are in the lake">
                  Up to offset
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((each) => (
                <tr key={each.bucket}>
                  <td>{each.bucket}</td>
                  <td className="number">{count(each.offset)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {table.offsets.length > SHOWN_BUCKETS && (
        <p className="muted">
          The first {SHOWN_BUCKETS} of {count(table.offsets.length)} buckets.
        </p>
      )}
    </section>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function scopeText(scope: string): string {
  switch (scope.toUpperCase()) {
    case 'TABLE':
      return 'the table: tried again, quarantined after 10';
    case 'WORKER':
      return 'the worker: it is drained';
    case 'LAKE':
      return 'the lake: nothing is counted';
    default:
      return scope;
  }
}
