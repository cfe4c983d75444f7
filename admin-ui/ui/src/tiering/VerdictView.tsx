import { useState } from 'react';
import { Since } from '../shared/Ago';
import { Copy } from '../shared/Copy';
import type { Finding, Verdict } from './verdict';

const SHOWN = 3;

/** Whether anything is late or failing, since when, why, and what can be done. */
export function VerdictView({ verdict }: { verdict: Verdict }) {
  const [all, setAll] = useState(false);
  const shown = all ? verdict.findings : verdict.findings.slice(0, SHOWN);
  const more = verdict.findings.length - SHOWN;
  return (
    <section className={`verdict verdict-${verdict.tone}`} aria-label="Verdict">
      <h2 aria-live="polite">
        <span className={`dot dot-${verdict.tone}`} aria-hidden="true" />
        {verdict.headline}
      </h2>
      {shown.length > 0 && (
        <ul>
          {shown.map((finding) => (
            <FindingView key={finding.key} finding={finding} />
          ))}
        </ul>
      )}
      {more > 0 && (
        <button type="button" className="plain" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show ${more} more`}
        </button>
      )}
    </section>
  );
}

function FindingView({ finding }: { finding: Finding }) {
  return (
    <li className={`finding finding-${finding.tone}`}>
      <p className="finding-title">
        <strong>{finding.title}</strong>
        {finding.sinceMs !== undefined && (
          <span className="muted">
            {' '}
            <Since ms={finding.sinceMs} />
          </span>
        )}
      </p>
      <p className="finding-why">{finding.why}</p>
      <p className="muted">{finding.action}</p>
      {finding.command !== undefined && <Copy text={finding.command} />}
    </li>
  );
}
