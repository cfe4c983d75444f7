import { useState } from 'react';
import { changeQuery, useSearch } from '../app/router';
import { type Query, useQuery } from '../api/useQuery';
import { Copy } from '../shared/Copy';
import { count } from '../shared/format';
import { Pager } from '../shared/Pager';
import { pageNumber, pageOf } from '../shared/paging';
import { serverNow } from '../shared/serverClock';
import { Empty, QueryView, StaleBanner } from '../shared/States';
import { useNow } from '../shared/useNow';
import { HoldDialog } from './HoldDialog';
import { QueueTable } from './QueueTable';
import { groupFilter, nameOf, shownTables, type TieringSummary, type TieringTable, type TieringWorker } from './queue';
import { Summary } from './Summary';
import { VerdictView } from './VerdictView';
import { verdictOf } from './verdict';
import { Workers, WORKERS_SIZE } from './Workers';

const PAGE_SIZE = 50;
/** As many as the API gives at once. They are looked at together: the latest of all must come first. */
const FETCHED = 1_000;
/** From this many on the list is asked for less often. */
const LARGE = 200;

const CREATE = `./sluice sql "CREATE TABLE demo.clicks (id BIGINT, url STRING)
  WITH ('table.datalake.enabled' = 'true', 'table.datalake.freshness' = '10s')"`;

/** The tiering queue: what is late or failing first, then every table, then the workers. */
export function TieringPage() {
  const search = useSearch();
  const filter = { group: groupFilter(search.get('group')), search: search.get('search') ?? '' };
  const [large, setLarge] = useState(false);
  const summary = useQuery('/api/v1/tiering');
  const tables = useQuery('/api/v1/tiering/tables', { query: { limit: FETCHED }, intervalMs: large ? 5_000 : 1_500 });
  const workers = useQuery('/api/v1/tiering/workers', { query: { offset: 0, limit: WORKERS_SIZE } });
  const isLarge = (tables.data?.total ?? 0) > LARGE;
  if (isLarge !== large) {
    setLarge(isLarge);
  }
  return (
    <>
      <h1 className="visually-hidden">Tiering queue</h1>
      <StaleBanner query={summary.problem === undefined ? tables : summary} />
      <QueryView query={summary} what="the tiering queue">
        {(numbers) => (
          <>
            <QueryView query={tables} what="the tables of the queue">
              {(page) =>
                page.total === 0 ? (
                  <Empty title="No table goes to the lake yet">
                    <p>A log table does when its option table.datalake.enabled is true. For example:</p>
                    <Copy text={CREATE} />
                    <p className="muted">It appears here at once; its first round starts one freshness later.</p>
                  </Empty>
                ) : (
                  <Queue summary={numbers} workers={workers.data?.items ?? []} tables={tables} filter={filter} page={pageNumber(search.get('page'))} opened={search.get('open') ?? undefined} />
                )
              }
            </QueryView>
            <Workers />
          </>
        )}
      </QueryView>
    </>
  );
}

function Queue({
  summary,
  workers,
  tables,
  filter,
  page,
  opened,
}: {
  summary: TieringSummary;
  workers: TieringWorker[];
  tables: Query<{ items: TieringTable[]; total: number }>;
  filter: { group: ReturnType<typeof groupFilter>; search: string };
  page: number;
  opened: string | undefined;
}) {
  const nowMs = serverNow(useNow());
  const [asked, setAsked] = useState<{ table: TieringTable; action: 'pause' | 'resume' }>();
  const [said, setSaid] = useState('');
  const all = tables.data?.items ?? [];
  const total = tables.data?.total ?? 0;
  const shown = shownTables(all, filter);
  const cut = pageOf(shown, page, PAGE_SIZE);
  const filtered = filter.group !== undefined || filter.search !== '';
  return (
    <>
      <VerdictView verdict={verdictOf(summary, all, workers)} />
      <Summary summary={summary} group={filter.group} onGroup={(group) => changeQuery({ group, page: undefined })} />
      <div className="tools">
        <label className="search">
          <span className="visually-hidden">Search tables</span>
          <input
            type="search"
            placeholder="Search tables"
            value={filter.search}
            onChange={(event) => changeQuery({ search: event.target.value, page: undefined })}
          />
        </label>
        <button type="button" aria-pressed={filter.group === 'LATE'} onClick={() => changeQuery({ group: filter.group === 'LATE' ? undefined : 'LATE', page: undefined })}>
          Late only
        </button>
        {filtered && (
          <button type="button" className="plain" onClick={() => changeQuery({ group: undefined, search: undefined, page: undefined })}>
            Clear filters
          </button>
        )}
        <span className="said" role="status">
          {said}
        </span>
        <Pager page={cut.page} size={PAGE_SIZE} total={shown.length} noun={shown.length === 1 ? 'table' : 'tables'} onPage={(next) => changeQuery({ page: String(next + 1) })} />
      </div>
      {total > all.length && (
        <p className="banner banner-warn">
          The queue has {count(total)} tables; the first {count(all.length)} by name are looked at here.
        </p>
      )}
      {shown.length === 0 ? (
        <Empty title="No table matches">
          <p>
            <button type="button" onClick={() => changeQuery({ group: undefined, search: undefined, page: undefined })}>
              Clear filters
            </button>
          </p>
        </Empty>
      ) : (
        <QueueTable
          tables={cut.items}
          opened={opened}
          nowMs={nowMs}
          onToggle={(table) => changeQuery({ open: nameOf(table) === opened ? undefined : nameOf(table) })}
          onHold={(table, action) => setAsked({ table, action })}
        />
      )}
      {asked !== undefined && (
        <HoldDialog
          {...asked}
          onClose={() => setAsked(undefined)}
          onDone={(message) => {
            setAsked(undefined);
            setSaid(message);
            tables.refresh();
          }}
        />
      )}
    </>
  );
}
