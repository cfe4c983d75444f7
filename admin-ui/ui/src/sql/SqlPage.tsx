import { useEffect, useRef, useState } from 'react';
import { request } from '../api/http';
import { Problem } from '../api/problem';
import type { components } from '../api/schema';
import { Copy } from '../shared/Copy';
import { age, count, duration } from '../shared/format';
import { Pager } from '../shared/Pager';
import { pageOf } from '../shared/paging';
import { Empty } from '../shared/States';
import { useNow } from '../shared/useNow';
import { cellOf, isNumeric, positionOf } from './cells';
import { remembered } from './history';
import { storedHistory, storeHistory } from './storage';

type Result = components['schemas']['SqlResult'];

type Run =
  | { kind: 'none' }
  | { kind: 'running'; sinceMs: number; abort: AbortController }
  | { kind: 'failed'; problem: Problem; statement: string }
  | { kind: 'done'; result: Result };

const MAX_ROWS = 1_000;
const PAGE_SIZE = 100;
/** Longer than the services': they say better what took so long. */
const TIMEOUT_MS = 7 * 60_000;

/** Runs one statement and shows what it gave. */
export function SqlPage() {
  const [statement, setStatement] = useState('');
  const [history, setHistory] = useState(storedHistory);
  const [run, setRun] = useState<Run>({ kind: 'none' });
  const editor = useRef<HTMLTextAreaElement>(null);
  const running = run.kind === 'running' ? run.abort : undefined;
  useEffect(() => () => running?.abort(), [running]);

  const start = async () => {
    const sql = statement.trim();
    if (sql === '' || running !== undefined) {
      return;
    }
    const abort = new AbortController();
    setRun({ kind: 'running', sinceMs: Date.now(), abort });
    const next = remembered(history, sql);
    setHistory(next);
    storeHistory(next);
    setRun(await outcomeOf(statement, abort));
  };

  return (
    <>
      <h1>SQL</h1>
      <div className="sql-editor">
        <label htmlFor="statement" className="visually-hidden">
          Statement
        </label>
        <textarea
          id="statement"
          ref={editor}
          rows={6}
          spellCheck={false}
          placeholder="SELECT origin, COUNT(*) FROM demo.flights GROUP BY origin"
          value={statement}
          onChange={(event) => setStatement(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              void start();
            }
          }}
        />
        <div className="tools">
          {running === undefined ? (
            <button type="button" className="primary" disabled={statement.trim() === ''} onClick={() => void start()} title="Ctrl+Enter">
              Run
            </button>
          ) : (
            <button type="button" onClick={() => running.abort()}>
              Stop waiting
            </button>
          )}
          {history.length > 0 && (
            <select aria-label="Statements run before" value="" onChange={(event) => setStatement(event.target.value)}>
              <option value="">Run before…</option>
              {history.map((each) => (
                <option key={each} value={each}>
                  {each.length > 90 ? `${each.slice(0, 90)}…` : each}
                </option>
              ))}
            </select>
          )}
          <span className="muted">One statement; Ctrl+Enter runs it</span>
        </div>
      </div>
      <div aria-live="polite">
        <Outcome
          run={run}
          onShow={(position) => {
            editor.current?.focus();
            editor.current?.setSelectionRange(position, position + 1);
          }}
        />
      </div>
    </>
  );
}

async function outcomeOf(statement: string, abort: AbortController): Promise<Run> {
  try {
    const answer = await request('/api/v1/sql', {
      method: 'POST',
      body: { sql: statement, maxRows: MAX_ROWS },
      timeoutMs: TIMEOUT_MS,
      signal: abort.signal,
    });
    if (answer.kind === 'unchanged') {
      throw new Problem(304, 'HTTP', 'A statement was answered with "not modified"');
    }
    return { kind: 'done', result: answer.value as Result };
  } catch (cause) {
    if (abort.signal.aborted) {
      return { kind: 'failed', statement, problem: new Problem(0, 'CANCELLED', 'Nobody waits for the answer any more; a statement that changes something may still have done so.') };
    }
    return { kind: 'failed', statement, problem: cause instanceof Problem ? cause : new Problem(0, 'INTERNAL', String(cause)) };
  }
}

function Outcome({ run, onShow }: { run: Run; onShow(position: number): void }) {
  switch (run.kind) {
    case 'none':
      return (
        <Empty title="No statement has been run yet">
          <p>Type one above. The same from a shell:</p>
          <Copy text={'./sluice sql "SHOW TABLES IN demo"'} />
        </Empty>
      );
    case 'running':
      return <Running sinceMs={run.sinceMs} />;
    case 'failed':
      return <SqlProblem problem={run.problem} statement={run.statement} onShow={onShow} />;
    default:
      return <ResultView result={run.result} />;
  }
}

function Running({ sinceMs }: { sinceMs: number }) {
  return <p className="muted">Running for {age(useNow() - sinceMs)}</p>;
}

function SqlProblem({ problem, statement, onShow }: { problem: Problem; statement: string; onShow(position: number): void }) {
  const { line, column } = problem;
  return (
    <section className="failed">
      <h2>The statement failed</h2>
      <p className="failed-detail">{problem.message}</p>
      <p className="muted">
        <code>{problem.code}</code>
        {line !== undefined && column !== undefined && (
          <>
            {' '}
            · line {line}, column {column}{' '}
            <button type="button" onClick={() => onShow(positionOf(statement, line, column))}>
              Show
            </button>
          </>
        )}
      </p>
    </section>
  );
}

function ResultView({ result }: { result: Result }) {
  const [page, setPage] = useState(0);
  const cut = pageOf(result.rows, page, PAGE_SIZE);
  return (
    <>
      {result.notices.map((notice) => (
        <p key={notice} className="notice">
          {notice}
        </p>
      ))}
      {result.kind === 'done' ? (
        <p>
          {result.message === undefined || result.message === '' ? 'Done' : result.message} <span className="muted">in {duration(result.elapsedMs)}</span>
        </p>
      ) : (
        <>
          <div className="tools">
            <span>
              {count(result.rowCount)} {result.rowCount === 1 ? 'row' : 'rows'} <span className="muted">in {duration(result.elapsedMs)}</span>
              {result.truncated && <strong> · there are more; these are the first</strong>}
            </span>
            {cut.pages > 1 && <Pager page={cut.page} size={PAGE_SIZE} total={result.rows.length} noun="rows" onPage={setPage} />}
          </div>
          <Grid columns={result.columns} rows={cut.items} />
        </>
      )}
    </>
  );
}

function Grid({ columns, rows }: { columns: Result['columns']; rows: Result['rows'] }) {
  return (
    <div className="grid-box">
      <table className="rows grid small" tabIndex={0}>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={index} scope="col" className={isNumeric(column.type) ? 'number' : undefined} title={column.type}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map((column, each) => {
                const cell = cellOf(row[each]);
                return (
                  <td key={each} className={`cell-${cell.kind} ${isNumeric(column.type) ? 'number' : ''}`}>
                    {cell.text}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
