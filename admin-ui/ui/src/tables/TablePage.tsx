import type { ReactNode } from 'react';
import type { components } from '../api/schema';
import { useQuery } from '../api/useQuery';
import { Link } from '../app/Link';
import { Ago } from '../shared/Ago';
import { Badge } from '../shared/Badge';
import { count } from '../shared/format';
import { Pager } from '../shared/Pager';
import { pageOf } from '../shared/paging';
import { QueryView, StaleBanner } from '../shared/States';
import { useState } from 'react';
import { defaultText, keyText, typeLines } from './columns';
import { RowCount } from './RowCount';
import { columnRule, countedBy, ruleFacts } from './rules';

type Table = components['schemas']['Table'];

const SIZE = 100;
const LAKE_OPTION = 'table.datalake.enabled';

/** One table: its columns, buckets and options. */
export function TablePage({ database, table }: { database: string; table: string }) {
  const query = useQuery('/api/v1/tables/{database}/{table}', { path: { database, table } });
  return (
    <>
      <h1>
        <Link to="/tables">Tables</Link> <span className="muted">/</span> {database}.{table}
      </h1>
      <StaleBanner query={query} />
      <QueryView query={query} what={`${database}.${table}`}>
        {(found) => <TableView table={found} />}
      </QueryView>
    </>
  );
}

function TableView({ table }: { table: Table }) {
  const lake = table.options[LAKE_OPTION] === 'true';
  const partitioned = table.partitionKeys.length > 0;
  const offline = table.buckets.filter((bucket) => bucket.leader === undefined).length;
  return (
    <>
      <p className="facts-line">
        <span>{table.kind} table</span>
        {countedBy(table.rules) && <RowCount database={table.database} table={table.table} />}
        {partitioned && (
          <span>
            {count(table.partitionCount)} partitions by {table.partitionKeys.join(', ')}
          </span>
        )}
        <span>
          {count(table.bucketCount)} buckets{partitioned && ' each'}
        </span>
        <span>replication {count(table.replicationFactor)}</span>
        <span>schema {count(table.schemaId)}</span>
        <span>
          created <Ago ms={table.createdMs} />
        </span>
        <span>id {String(table.tableId)}</span>
        {lake ? (
          <Link to={`/tiering?search=${encodeURIComponent(`${table.database}.${table.table}`)}&open=${encodeURIComponent(`${table.database}.${table.table}`)}`}>
            In the tiering queue
          </Link>
        ) : (
          <span className="muted">lake off</span>
        )}
        {offline > 0 && <Badge tone="bad">{`${count(offline)} of ${count(table.buckets.length)} buckets offline`}</Badge>}
      </p>
      {table.comment !== '' && <p>{table.comment}</p>}
      {table.rules !== undefined && (
        <Section title="Rows of one key">
          <Rules rules={table.rules} />
        </Section>
      )}
      <div className="columns">
        <Section title="Columns">
          <Columns table={table} />
        </Section>
        {partitioned && (
          <Section title="Partitions">
            <Partitions database={table.database} table={table.table} />
          </Section>
        )}
        <Section title="Buckets">
          <Buckets table={table} partitioned={partitioned} />
        </Section>
      </div>
      <Section title="Options">
        <Options options={table.options} />
      </Section>
    </>
  );
}

function Rules({ rules }: { rules: NonNullable<Table['rules']> }) {
  return (
    <dl className="rules">
      {ruleFacts(rules).map((fact) => (
        <div key={fact.name}>
          <dt>{fact.name}</dt>
          <dd>
            {fact.text}
            {fact.option !== undefined && (
              <>
                {' '}
                <code className="muted">{fact.option}</code>
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Columns({ table }: { table: Table }) {
  const [page, setPage] = useState(0);
  const cut = pageOf(table.columns, page, SIZE);
  const merged = table.columns.some((column) => columnRule(table.rules, column.name) !== undefined);
  return (
    <>
      <div className="table-box">
        <table className="rows">
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Type</th>
              <th scope="col">Key</th>
              {merged && (
                <th scope="col" title="What becomes of the values of one key">
                  Merge
                </th>
              )}
              <th scope="col" className="number">
                Id
              </th>
            </tr>
          </thead>
          <tbody>
            {cut.items.map((column) => (
              <tr key={column.id}>
                <th scope="row" className="cell-name">
                  {column.name}
                  {column.comment !== '' && <div className="second">{column.comment}</div>}
                </th>
                <td data-label="Type">
                  <code className="type-lines">{typeLines(column.type)}</code>
                  {!column.nullable && <span className="muted"> not null</span>}
                  {defaultText(column) !== undefined && <div className="second">{defaultText(column)}</div>}
                </td>
                <td data-label="Key">{keyText(table, column.name)}</td>
                {merged && <td data-label="Merge">{columnRule(table.rules, column.name) ?? '–'}</td>}
                <td data-label="Id" className="number muted">
                  {column.id}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {cut.pages > 1 && <Pager page={cut.page} size={SIZE} total={table.columns.length} noun="columns" onPage={setPage} />}
    </>
  );
}

function Partitions({ database, table }: { database: string; table: string }) {
  const [page, setPage] = useState(0);
  const query = useQuery('/api/v1/tables/{database}/{table}/partitions', {
    path: { database, table },
    query: { offset: page * SIZE, limit: SIZE },
  });
  return (
    <QueryView query={query} what="the partitions">
      {(found) =>
        found.total === 0 ? (
          <p className="muted">None yet; writers make them, and so does automatic partitioning.</p>
        ) : (
          <>
            <div className="table-box">
              <table className="rows">
                <thead>
                  <tr>
                    <th scope="col">Partition</th>
                    <th scope="col" className="number">
                      Id
                    </th>
                    <th scope="col" className="number" title="Buckets that no server leads">
                      Offline
                    </th>
                    <th scope="col">Created</th>
                  </tr>
                </thead>
                <tbody>
                  {found.items.map((partition) => (
                    <tr key={String(partition.partitionId)} className={partition.offlineBuckets > 0 ? 'row-attention' : undefined}>
                      <th scope="row" className="cell-name">
                        {partition.name}
                      </th>
                      <td data-label="Id" className="number muted">
                        {String(partition.partitionId)}
                      </td>
                      <td data-label="Offline" className="number">
                        {partition.offlineBuckets > 0 ? (
                          <Badge tone="bad">{`${count(partition.offlineBuckets)} of ${count(partition.bucketCount)}`}</Badge>
                        ) : (
                          <span className="muted">0</span>
                        )}
                      </td>
                      <td data-label="Created">
                        <Ago ms={partition.createdMs} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            {found.total > SIZE && <Pager page={page} size={SIZE} total={found.total} noun="partitions" onPage={setPage} />}
          </>
        )
      }
    </QueryView>
  );
}

function Buckets({ table, partitioned }: { table: Table; partitioned: boolean }) {
  const [page, setPage] = useState(0);
  const cut = pageOf(table.buckets, page, SIZE);
  return (
    <>
      <div className="table-box">
        <table className="rows">
          <thead>
            <tr>
              <th scope="col">Bucket</th>
              {partitioned && (
                <th scope="col" className="number">
                  Partition
                </th>
              )}
              <th scope="col">Leader</th>
              <th scope="col" className="number" title="Grows with each election">
                Epoch
              </th>
              <th scope="col">Replicas</th>
              <th scope="col" title="Replicas that have everything">
                In sync
              </th>
            </tr>
          </thead>
          <tbody>
            {cut.items.map((bucket) => (
              <tr key={`${bucket.partitionId}-${bucket.bucket}`} className={bucket.leader === undefined ? 'row-attention' : undefined}>
                <th scope="row" className="cell-name">
                  {bucket.bucket}
                </th>
                {partitioned && (
                  <td data-label="Partition" className="number muted">
                    {String(bucket.partitionId)}
                  </td>
                )}
                <td data-label="Leader">
                  {bucket.leader === undefined ? (
                    <Badge tone="bad">no leader</Badge>
                  ) : (
                    <>
                      {bucket.leader} <span className="muted">{bucket.leaderAddress}</span>
                    </>
                  )}
                </td>
                <td data-label="Epoch" className="number">
                  {count(bucket.leaderEpoch)}
                </td>
                <td data-label="Replicas">
                  {bucket.replicas.join(', ')}
                  {bucket.target.length > 0 && <span className="muted"> moving to {bucket.target.join(', ')}</span>}
                </td>
                <td data-label="In sync">
                  {bucket.isr.join(', ')}
                  {bucket.isr.length < bucket.minInsync && <span className="muted"> of {bucket.minInsync} that a write needs</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {cut.pages > 1 && <Pager page={cut.page} size={SIZE} total={table.buckets.length} noun="buckets" onPage={setPage} />}
    </>
  );
}

function Options({ options }: { options: Record<string, string> }) {
  const entries = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) {
    return <p className="muted">None was set; every option has its default.</p>;
  }
  return (
    <div className="table-box">
      <table className="rows options">
        <thead>
          <tr>
            <th scope="col">Option</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(([name, value]) => (
            <tr key={name}>
              <th scope="row" className="cell-name">
                <code>{name}</code>
              </th>
              <td data-label="Value">
                <code>{value}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
