import { useEffect, useRef, useState } from 'react';
import { request } from '../api/http';
import { Problem } from '../api/problem';
import { addressOf } from '../api/useQuery';
import { holdOf, nameOf, type TieringTable } from './queue';

const TIMEOUT_MS = 15_000;

/** Asks whether to pause or resume a table, and does it. */
export function HoldDialog({
  table,
  action,
  onClose,
  onDone,
}: {
  table: TieringTable;
  action: 'pause' | 'resume';
  onClose(): void;
  onDone(message: string): void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const name = nameOf(table);
  useEffect(() => dialog.current?.showModal(), []);
  const confirm = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const template = `/api/v1/tiering/tables/{database}/{table}/${action}`;
      await request(addressOf(template, { path: { database: table.database, table: table.table } }), { method: 'POST', timeoutMs: TIMEOUT_MS });
      onDone(`${name} is ${action === 'pause' ? 'paused' : 'resumed'}`);
    } catch (cause) {
      setProblem(cause instanceof Problem ? cause.message : String(cause));
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="hold-title">
      <h2 id="hold-title">
        {action === 'pause' ? 'Pause' : 'Resume'} {name}?
      </h2>
      <p>{explanation(table, action)}</p>
      <div aria-live="assertive">{problem !== undefined && <p className="banner banner-bad">{problem}</p>}</div>
      <div className="dialog-buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button type="button" className="primary" disabled={busy} onClick={() => void confirm()}>
          {busy ? 'Asking…' : action === 'pause' ? 'Pause tiering' : 'Resume tiering'}
        </button>
      </div>
    </dialog>
  );
}

function explanation(table: TieringTable, action: 'pause' | 'resume'): string {
  if (action === 'pause') {
    return 'No new round is started until somebody resumes it. Writers and readers of the table are not touched: new rows stay in the log, and only the lake copy falls behind.';
  }
  switch (holdOf(table)) {
    case 'quarantined':
      return 'It failed again and again. Resume it when the cause is gone; otherwise it fails and is quarantined once more.';
    case 'regressed':
      return 'The lake table was behind what had been committed. Resume it when the newer snapshot is back in the catalog.';
    default:
      return 'Rounds are started again; the rows that came meanwhile follow from the log.';
  }
}
