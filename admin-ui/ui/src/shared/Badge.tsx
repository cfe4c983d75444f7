/** How much attention something wants. */
export type Tone = 'quiet' | 'info' | 'busy' | 'good' | 'warn' | 'bad';

/** A state as text on colour. */
export function Badge({ tone, children, title }: { tone: Tone; children: string; title?: string }) {
  return (
    <span className={`badge badge-${tone}`} title={title}>
      {children}
    </span>
  );
}
