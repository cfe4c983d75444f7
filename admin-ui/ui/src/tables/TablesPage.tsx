import { Link } from '../app/Link';
import { changeQuery, tableAddress, useSearch } from '../app/router';
import { useQuery } from '../api/useQuery';
import { Ago } from '../shared/Ago';
import { Badge } from '../shared/Badge';
import { Copy } from '../shared/Copy';
import { count } from '../shared/format';
import { Pager } from '../shared/Pager';
import { pageNumber } from '../shared/paging';
import { Empty, QueryView, StaleBanner } from '../shared/States';
import { lakeState, type LakeState } from './lake';

const SIZE = 50;

const CREATE = `./sluice sql "CREATE DATABASE demo"
./sluice sql "CREATE TABLE demo.clicks (id BIGINT, url STRING)"`;

/** All tables of the cluster. */
export function TablesPage() {
  const search = useSearch();
  const wanted = search.get('search') ?? '';
  const page = pageNumber(search.get('page'));
  const query = useQuery('/api/v1/tables', { query: { nameContains: wanted, offset: page * SIZE, limit: SIZE } });
  const queue = useQuery('/api/v1/tiering/tables', { query: { limit: 1_000 }, intervalMs: 5_000 });
  return (
    <>
      <h1>Tables</h1>
      <StaleBanner query={query} />
      <div className="tools">
        <label className="search">
          <span className="visually-hidden">Search tables by name</span>
          <input
            type="search"
            placeholder="Search by table name"
            value={wanted}
            onChange={(event) => changeQuery({ search: event.target.value, page: undefined })}
          />
        </label>
        {query.data !== undefined && (
          <Pager
            page={page}
            size={SIZE}
            total={query.data.total}
            noun={query.data.total === 1 ? 'table' : 'tables'}
            onPage={(next) => changeQuery({ page: String(next + 1) })}
          />
        )}
      </div>
      <QueryView query={query} what="the tables">
        {(tables) =>
          tables.total === 0 ? (
            <NoTables wanted={wanted} />
          ) : (
            <div className="table-box">
              <table className="rows">
                <thead>
                  <tr>
                    <th scope="col">Table</th>
                    <th scope="col">Kind</th>
                    <th scope="col" className="number">
                      Columns
                    </th>
                    <th scope="col" className="number">
                      Partitions
                    </th>
                    <th scope="col" className="number">
                      Buckets
                    </th>
                    <th scope="col" className="number" title="Buckets that no server leads: they take no writes and serve no reads">
                      Offline
                    </th>
                    <th scope="col">Lake</th>
                    <th scope="col">Created</th>
                  </tr>
                </thead>
                <tbody>
                  {tables.items.map((table) => (
                    <tr key={table.tableId} className={table.offlineBuckets > 0 ? 'row-attention' : undefined}>
                      <th scope="row" className="cell-name">
                        <Link to={tableAddress(table.database, table.table)}>
                          <span className="muted">{table.database}.</span>
                          {table.table}
                        </Link>
                        {table.comment !== '' && <div className="second">{table.comment}</div>}
                      </th>
                      <td data-label="Kind">{table.kind}</td>
                      <td data-label="Columns" className="number">
                        {count(table.columnCount)}
                      </td>
                      <td data-label="Partitions" className="number">
                        {table.partitionKeys.length === 0 ? (
                          <span className="muted">–</span>
                        ) : (
                          <span title={`by ${table.partitionKeys.join(', ')}`}>{count(table.partitionCount)}</span>
                        )}
                      </td>
                      <td data-label="Buckets" className="number">
                        {count(table.bucketCount)}
                      </td>
                      <td data-label="Offline" className="number">
                        {table.offlineBuckets > 0 ? (
                          <Badge tone="bad">{`${count(table.offlineBuckets)} offline`}</Badge>
                        ) : (
                          <span className="muted">0</span>
                        )}
                      </td>
                      <td data-label="Lake">
                        <LakeBadge state={lakeState(queue.data, table.database, table.table)} />
                      </td>
                      <td data-label="Created">
                        <Ago ms={table.createdMs} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </QueryView>
    </>
  );
}

function NoTables({ wanted }: { wanted: string }) {
  if (wanted !== '') {
    return (
      <Empty title="No table matches">
        <p>
          <button type="button" onClick={() => changeQuery({ search: undefined, page: undefined })}>
            Clear the search
          </button>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="There are no tables yet">
      <p>Create one:</p>
      <Copy text={CREATE} />
      <p className="muted">Or see everything at work with ./sluice demo.</p>
    </Empty>
  );
}

function LakeBadge({ state }: { state: LakeState }) {
  switch (state) {
    case 'on':
      return <Badge tone="info">on</Badge>;
    case 'off':
      return <span className="muted">off</span>;
    default:
      return (
        <span className="muted" title="The tiering queue does not answer">
          unknown
        </span>
      );
  }
}
