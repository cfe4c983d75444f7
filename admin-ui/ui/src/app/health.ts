import type { Problem } from '../api/problem';
import type { components } from '../api/schema';
import type { Tone } from '../shared/Badge';

/** The queue in a few words, for the corner of every page. */
export function health(
  summary: components['schemas']['TieringSummary'] | undefined,
  problem: Problem | undefined,
): { tone: Tone; text: string } {
  if (problem !== undefined) {
    return { tone: 'bad', text: problem.code === 'UNREACHABLE' ? 'Console unreachable' : 'Coordinator does not answer' };
  }
  if (summary === undefined) {
    return { tone: 'quiet', text: 'Connecting' };
  }
  if (summary.lakeBreakerOpen) {
    return { tone: 'bad', text: 'Lake is failing' };
  }
  if (summary.counts.failed > 0) {
    return { tone: 'bad', text: `${summary.counts.failed} failing` };
  }
  if (summary.workersAlive === 0 && summary.workersExpected > 0) {
    return { tone: 'bad', text: 'No worker' };
  }
  if (summary.workersAlive < summary.workersExpected) {
    return { tone: 'warn', text: `${summary.workersAlive} of ${summary.workersExpected} workers` };
  }
  if (summary.counts.held > 0) {
    return { tone: 'warn', text: `${summary.counts.held} on hold` };
  }
  return { tone: 'good', text: 'Running' };
}
