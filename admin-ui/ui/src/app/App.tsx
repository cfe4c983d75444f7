import { useEffect, useRef } from 'react';
import { useQuery } from '../api/useQuery';
import { ServersPage } from '../servers/ServersPage';
import { Empty } from '../shared/States';
import { noteServerTime } from '../shared/serverClock';
import { SqlPage } from '../sql/SqlPage';
import { TablePage } from '../tables/TablePage';
import { TablesPage } from '../tables/TablesPage';
import { TieringPage } from '../tiering/TieringPage';
import { ErrorBoundary } from './ErrorBoundary';
import { health } from './health';
import { Link } from './Link';
import { Logo } from './Logo';
import { type Route, routeOf, usePath } from './router';

const TITLES: Record<Route['page'], string> = {
  tiering: 'Tiering queue',
  tables: 'Tables',
  table: 'Table',
  servers: 'Servers',
  sql: 'SQL',
  unknown: 'No such page',
};

/** The frame of every page: where one can go, and whether anything is wrong. */
export function App() {
  const path = usePath();
  const route = routeOf(path);
  const heading = useRef<HTMLElement>(null);
  const shownPath = useRef(path);
  const name = route.page === 'table' ? `${route.database}.${route.table}` : TITLES[route.page];
  useEffect(() => {
    document.title = `${name} · Sluice`;
    if (shownPath.current !== path) {
      // A screen reader would else stay on the link that was followed.
      shownPath.current = path;
      heading.current?.focus();
    }
  }, [name, path]);
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="top">
        <Link to="/tiering" className="brand">
          <Logo />
          Sluice
        </Link>
        <nav aria-label="Pages">
          <Link to="/tiering" current={route.page === 'tiering'}>
            Tiering
          </Link>
          <Link to="/tables" current={route.page === 'tables' || route.page === 'table'}>
            Tables
          </Link>
          <Link to="/servers" current={route.page === 'servers'}>
            Servers
          </Link>
          <Link to="/sql" current={route.page === 'sql'}>
            SQL
          </Link>
        </nav>
        <ClusterHealth />
      </header>
      <main id="main" ref={heading} tabIndex={-1}>
        <ErrorBoundary key={path}>
          <Page route={route} />
        </ErrorBoundary>
      </main>
    </>
  );
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case 'tiering':
      return <TieringPage />;
    case 'tables':
      return <TablesPage />;
    case 'table':
      return <TablePage key={`${route.database}.${route.table}`} database={route.database} table={route.table} />;
    case 'servers':
      return <ServersPage />;
    case 'sql':
      return <SqlPage />;
    default:
      return (
        <Empty title="There is no such page">
          <p>
            The <Link to="/tiering">tiering queue</Link>, the <Link to="/tables">tables</Link> and the{' '}
            <Link to="/servers">servers</Link> are what the console has.
          </p>
        </Empty>
      );
  }
}

function ClusterHealth() {
  const query = useQuery('/api/v1/tiering');
  useEffect(() => {
    if (query.data !== undefined && query.confirmedMs !== undefined) {
      noteServerTime(query.data.nowMs, query.confirmedMs);
    }
  }, [query.data, query.confirmedMs]);
  const { tone, text } = health(query.data, query.problem);
  return (
    <Link to="/tiering" className="health">
      <span className={`dot dot-${tone}`} aria-hidden="true" />
      <span role="status">{text}</span>
    </Link>
  );
}
