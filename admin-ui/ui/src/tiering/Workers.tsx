import { useState } from 'react';
import { useQuery } from '../api/useQuery';
import { Ago } from '../shared/Ago';
import { Badge, type Tone } from '../shared/Badge';
import { Copy } from '../shared/Copy';
import { Pager } from '../shared/Pager';
import { Empty, QueryView } from '../shared/States';
import type { TieringWorker } from './queue';

/** Workers on a page; the queue's verdict looks at the first page. */
export const WORKERS_SIZE = 25;
const TONES: Record<string, Tone> = { ALIVE: 'good', DRAINED: 'warn', LOST: 'bad' };

/** The processes that run the rounds. */
export function Workers() {
  const [page, setPage] = useState(0);
  const query = useQuery('/api/v1/tiering/workers', { query: { offset: page * WORKERS_SIZE, limit: WORKERS_SIZE } });
  return (
    <section id="workers" aria-labelledby="workers-title">
      <h2 id="workers-title">Workers</h2>
      <QueryView query={query} what="the workers">
        {(workers) =>
          workers.total === 0 ? (
            <Empty title="No worker has reported">
              <p>Without a worker nothing goes to the lake; rows stay in the log. Start one:</p>
              <Copy text="./sluice restart tiering-1" />
            </Empty>
          ) : (
            <>
              <div className="table-box">
                <table className="rows">
                  <thead>
                    <tr>
                      <th scope="col">Worker</th>
                      <th scope="col">State</th>
                      <th scope="col">Tables / slots</th>
                      <th scope="col">Last report</th>
                      <th scope="col">Connected</th>
                      <th scope="col">Version</th>
                    </tr>
                  </thead>
                  <tbody>
                    {workers.items.map((worker) => (
                      <WorkerRow key={worker.workerId} worker={worker} />
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager page={page} size={WORKERS_SIZE} total={workers.total} noun={workers.total === 1 ? 'worker' : 'workers'} onPage={setPage} />
            </>
          )
        }
      </QueryView>
    </section>
  );
}

function WorkerRow({ worker }: { worker: TieringWorker }) {
  const labels = Object.entries(worker.labels ?? {});
  return (
    <tr>
      <th scope="row" className="cell-name">
        <span title={worker.incarnation === undefined ? '' : `Incarnation ${worker.incarnation}`}>{worker.workerId}</span>
        <span className="muted"> {worker.host}</span>
        {labels.length > 0 && <div className="second">{labels.map(([name, value]) => `${name}=${value}`).join(' ')}</div>}
      </th>
      <td data-label="State">
        <Badge tone={TONES[worker.state] ?? 'quiet'}>{worker.state}</Badge>
        {worker.drainReason !== undefined && <div className="second">{worker.drainReason}</div>}
      </td>
      <td data-label="Tables / slots">
        {worker.tables} / {worker.slots}
      </td>
      <td data-label="Last report">
        <Ago ms={worker.lastReportMs} />
      </td>
      <td data-label="Connected">
        <Ago ms={worker.connectedMs} />
      </td>
      <td data-label="Version">{worker.version ?? '–'}</td>
    </tr>
  );
}
