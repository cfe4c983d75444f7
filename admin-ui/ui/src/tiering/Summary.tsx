import { count } from '../shared/format';
import { GROUPS, type QueueFilter, type TieringGroup, type TieringSummary } from './queue';

const COUNT_OF: Record<TieringGroup, keyof TieringSummary['counts']> = {
  WAITING: 'waiting',
  READY: 'ready',
  TIERING: 'tiering',
  DONE: 'done',
  FAILED: 'failed',
};

/** How many tables are in each group; each number is also the filter for it. */
export function Summary({
  summary,
  group,
  onGroup,
}: {
  summary: TieringSummary;
  group: QueueFilter['group'];
  onGroup(group: QueueFilter['group']): void;
}) {
  const short = summary.workersAlive < summary.workersExpected;
  return (
    <div className="summary" role="group" aria-label="Filter by group">
      {GROUPS.map((each) => (
        <Tile
          key={each.group}
          label={each.label}
          value={summary.counts[COUNT_OF[each.group]]}
          tone={each.tone}
          hint={each.hint}
          pressed={group === each.group}
          onPress={() => onGroup(group === each.group ? undefined : each.group)}
        />
      ))}
      <Tile
        label="On hold"
        value={summary.counts.held}
        tone="warn"
        hint="Paused, quarantined or regressed; counted by their state too"
        pressed={group === 'HELD'}
        onPress={() => onGroup(group === 'HELD' ? undefined : 'HELD')}
      />
      <a className={`tile tile-plain ${short ? 'tile-bad' : ''}`} href="#workers" title="Alive against expected (sluice.tiering.workers-expected)">
        <span className="tile-value">
          {summary.workersAlive}
          <span className="tile-of">/{summary.workersExpected}</span>
        </span>
        <span className="tile-label">Workers</span>
      </a>
    </div>
  );
}

function Tile({
  label,
  value,
  tone,
  hint,
  pressed,
  onPress,
}: {
  label: string;
  value: number;
  tone: string;
  hint: string;
  pressed: boolean;
  onPress(): void;
}) {
  return (
    <button type="button" className={`tile tile-${value > 0 ? tone : 'none'}`} title={hint} aria-pressed={pressed} onClick={onPress}>
      <span className="tile-value">{count(value)}</span>
      <span className="tile-label">{label}</span>
    </button>
  );
}
