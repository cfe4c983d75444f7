import { useEffect, useState } from 'react';

const SHOWN_MS = 1_600;

/** A command to paste into a shell, with a button that copies it. */
export function Copy({ text }: { text: string }) {
  const [copied, setCopied] = useState<'no' | 'yes' | 'failed'>('no');
  useEffect(() => {
    if (copied === 'no') {
      return;
    }
    const timer = window.setTimeout(() => setCopied('no'), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    // The clipboard is there on https and localhost only; elsewhere the text can be selected.
    if (navigator.clipboard === undefined) {
      setCopied('failed');
      return;
    }
    navigator.clipboard.writeText(text).then(
      () => setCopied('yes'),
      () => setCopied('failed'),
    );
  };
  return (
    <div className="copy">
      <pre tabIndex={0}>{text}</pre>
      <button type="button" onClick={copy}>
        {copied === 'yes' ? 'Copied' : copied === 'failed' ? 'Select it' : 'Copy'}
      </button>
    </div>
  );
}
