import { useState } from 'react';
import type { components } from '../api/schema';
import { useQuery } from '../api/useQuery';
import { Link } from '../app/Link';
import { tableAddress } from '../app/router';
import { count } from '../shared/format';
import { Pager } from '../shared/Pager';
import { QueryView } from '../shared/States';
import { type BucketState, ill } from './illBuckets';

type ListedBucket = components['schemas']['ListedBucket'];

const SIZE = 20;

/** How the buckets are: nothing but a line when all is well, else the kinds, and the buckets of the one that is chosen. */
export function Replication() {
  const [chosen, setChosen] = useState<BucketState>();
  const query = useQuery('/api/v1/replication', {});
  return (
    <QueryView query={query} what="the replicas">
      {(counts) => {
        const kinds = ill(counts);
        const shown = kinds.find((kind) => kind.state === chosen) ?? kinds[0];
        if (shown === undefined) {
          return <p className="muted">{count(counts.buckets)} buckets; each has its leader and all its replicas in sync.</p>;
        }
        return (
          <>
            <p>
              {kinds.map((kind) => (
                <button key={kind.state} type="button" aria-pressed={kind === shown} onClick={() => setChosen(kind.state)}>
                  {count(kind.buckets)} {kind.name}
                </button>
              ))}
            </p>
            <p className="muted">{shown.meaning}</p>
            <Listed key={shown.state} state={shown.state} />
          </>
        );
      }}
    </QueryView>
  );
}

function Listed({ state }: { state: BucketState }) {
  const [page, setPage] = useState(0);
  const query = useQuery('/api/v1/replication/buckets', { query: { state, offset: page * SIZE, limit: SIZE } });
  return (
    <QueryView query={query} what="the buckets">
      {(buckets) => (
        <>
          <div className="table-box">
            <table className="rows">
              <thead>
                <tr>
                  <th scope="col">Table</th>
                  <th scope="col">Bucket</th>
                  <th scope="col">Leader</th>
                  <th scope="col">In sync</th>
                  <th scope="col">Replicas</th>
                  <th scope="col">Moving to</th>
                </tr>
              </thead>
              <tbody>
                {buckets.items.map((item) => (
                  <Row key={`${item.tableId}-${item.bucket.partitionId}-${item.bucket.bucket}`} item={item} />
                ))}
              </tbody>
            </table>
          </div>
          {buckets.total > SIZE && <Pager page={page} size={SIZE} total={buckets.total} noun="buckets" onPage={setPage} />}
        </>
      )}
    </QueryView>
  );
}

function Row({ item }: { item: ListedBucket }) {
  const { bucket } = item;
  return (
    <tr>
      <th scope="row" className="cell-name">
        <Link to={tableAddress(item.database, item.table)}>
          {item.database}.{item.table}
        </Link>
      </th>
      <td data-label="Bucket">
        {bucket.bucket}
        {String(bucket.partitionId) !== '0' && <span className="muted"> of partition {String(bucket.partitionId)}</span>}
      </td>
      <td data-label="Leader">{bucket.leader ?? 'none'}</td>
      <td data-label="In sync">{bucket.isr.join(', ')}</td>
      <td data-label="Replicas">{bucket.replicas.join(', ')}</td>
      <td data-label="Moving to">{bucket.target.join(', ')}</td>
    </tr>
  );
}
