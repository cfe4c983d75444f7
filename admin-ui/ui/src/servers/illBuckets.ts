import type { components } from '../api/schema';

type Counts = components['schemas']['Replication'];

/** What can be asked of buckets. */
export type BucketState = 'offline' | 'under-min-insync' | 'under-replicated' | 'moving';

/** Buckets that have something in common that an operator should know. */
export type Kind = { state: BucketState; name: string; meaning: string; buckets: number };

/** The kinds of which there are buckets, the worst first. */
export function ill(counts: Counts): Kind[] {
  const kinds: Kind[] = [
    {
      state: 'offline',
      name: 'offline',
      meaning: 'Nobody leads them, so they are neither written nor read. Bring back a server that is in sync: it has all rows.',
      buckets: counts.offline,
    },
    {
      state: 'under-min-insync',
      name: 'not writable',
      meaning: 'They can be read. A write needs two replicas in sync: bring a server back, or move them with ./sluice cluster move.',
      buckets: counts.underMinInsync,
    },
    {
      state: 'under-replicated',
      name: 'under-replicated',
      meaning: 'They work, and can lose fewer servers than they should. A server that comes back catches up by itself.',
      buckets: counts.underReplicated,
    },
    { state: 'moving', name: 'moving', meaning: 'Copies are being made; the old replicas leave when these are in sync.', buckets: counts.moving },
  ];
  return kinds.filter((kind) => kind.buckets > 0);
}
