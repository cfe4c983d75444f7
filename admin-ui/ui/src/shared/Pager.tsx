import { count } from './format';

/** Says which part of a list is shown and turns its pages. */
export function Pager({
  page,
  size,
  total,
  noun,
  onPage,
}: {
  page: number;
  size: number;
  total: number;
  noun: string;
  onPage(page: number): void;
}) {
  const pages = Math.max(1, Math.ceil(total / size));
  const from = total === 0 ? 0 : page * size + 1;
  const to = Math.min(total, (page + 1) * size);
  return (
    <nav className="pager" aria-label={`Pages of ${noun}`}>
      <span className="muted">
        {count(from)}–{count(to)} of {count(total)} {noun}
      </span>
      {pages > 1 && (
        <>
          <button type="button" disabled={page === 0} onClick={() => onPage(page - 1)}>
            Previous
          </button>
          <button type="button" disabled={page >= pages - 1} onClick={() => onPage(page + 1)}>
            Next
          </button>
        </>
      )}
    </nav>
  );
}
