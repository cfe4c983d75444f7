import type { ReactNode } from 'react';
import type { Problem } from '../api/problem';
import type { Query } from '../api/useQuery';
import { absolute, age, clock } from './format';
import { useNow } from './useNow';

/** Grey lines where rows will be. */
export function Loading({ what }: { what: string }) {
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">Loading {what}</span>
      {[0, 1, 2, 3].map((line) => (
        <span key={line} className="loading-line" />
      ))}
    </div>
  );
}

/** Nothing to show, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <section className="empty">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A view that has never had data: what failed, and that it is tried again. */
export function Failed({ what, problem, onRetry }: { what: string; problem: Problem; onRetry(): void }) {
  return (
    <section className="failed" role="alert">
      <h2>Cannot show {what}</h2>
      <p className="failed-detail">{problem.message}</p>
      <p className="muted">
        <code>{problem.code}</code>
        {problem.status > 0 && ` · HTTP ${problem.status}`} · asked again every few seconds{' '}
        <button type="button" onClick={onRetry}>
          Retry now
        </button>
      </p>
    </section>
  );
}

/** Above data that could not be confirmed: since when, and why. The place it takes is always there. */
export function StaleBanner({ query }: { query: Query<unknown> }) {
  const now = useNow();
  const since = query.confirmedMs;
  const stale = query.problem !== undefined && query.data !== undefined && since !== undefined;
  return (
    <div aria-live="polite">
      {stale && query.problem !== undefined && (
        <p className="banner banner-bad" title={absolute(since)}>
          <strong>
            Not updated since {clock(since, now)} ({age(now - since)}).
          </strong>{' '}
          Below is what was known then. {query.problem.message}
        </p>
      )}
    </div>
  );
}

/** Shows a query: loading, failed, or its data. */
export function QueryView<T>({
  query,
  what,
  children,
}: {
  query: Query<T>;
  what: string;
  children(data: T): ReactNode;
}) {
  if (query.data === undefined) {
    return query.problem === undefined ? (
      <Loading what={what} />
    ) : (
      <Failed what={what} problem={query.problem} onRetry={query.refresh} />
    );
  }
  const stale = query.problem !== undefined;
  return <div className={stale ? 'stale' : query.previous ? 'pending' : undefined}>{children(query.data)}</div>;
}
