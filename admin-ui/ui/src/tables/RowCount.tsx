import { useEffect, useState } from 'react';
import { request } from '../api/http';
import { Problem } from '../api/problem';
import type { components } from '../api/schema';
import { count } from '../shared/format';
import { countStatement } from './rules';

type Result = components['schemas']['SqlResult'];

const TIMEOUT_MS = 10_000;
const INTERVAL_MS = 10_000;

/** How many rows a table with a primary key has, asked of the SQL service now and then; nothing while it does not say. */
export function RowCount({ database, table }: { database: string; table: string }) {
  const [rows, setRows] = useState<number | undefined>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    let timer: number | undefined;
    const ask = async () => {
      if (document.visibilityState === 'visible') {
        setRows(await countRows(database, table, abort.signal));
      }
      if (!abort.signal.aborted) {
        timer = window.setTimeout(() => void ask(), INTERVAL_MS);
      }
    };
    void ask();
    return () => {
      abort.abort();
      window.clearTimeout(timer);
    };
  }, [database, table]);
  return rows === undefined ? null : <span>{rows === 1 ? '1 row' : `${count(rows)} rows`}</span>;
}

async function countRows(database: string, table: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const answer = await request('/api/v1/sql', {
      method: 'POST',
      body: { sql: countStatement(database, table), maxRows: 1 },
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    const value = answer.kind === 'value' ? (answer.value as Result).rows[0]?.[0] : undefined;
    return value === undefined ? undefined : Number(value);
  } catch (cause) {
    if (signal.aborted || cause instanceof Problem) {
      // The page is left, or SQL does not run; the page is whole without the number.
      return undefined;
    }
    throw cause;
  }
}
