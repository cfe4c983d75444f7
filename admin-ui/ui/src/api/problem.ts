import type { components } from './schema';

type ProblemBody = components['schemas']['Problem'];

/** A request that was not answered with what it asked for. */
export class Problem extends Error {
  readonly code: string;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(status: number, code: string, detail: string, line?: number, column?: number) {
    super(detail);
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.line = line;
    this.column = column;
  }
}

/** The problem of an answer whose status is not a success. */
export function problemOf(status: number, body: string): Problem {
  const parsed = parsedBody(body);
  if (parsed === undefined) {
    return new Problem(status, 'HTTP', `Answered with status ${status} and no explanation`);
  }
  return new Problem(status, parsed.code ?? 'HTTP', parsed.detail, parsed.line, parsed.column);
}

/** The problem of a request that got no answer at all. */
export function unanswered(path: string, cause: unknown, timedOut: boolean): Problem {
  if (timedOut) {
    return new Problem(0, 'TIMEOUT', `No answer to ${path} within the time limit`);
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Problem(0, 'UNREACHABLE', `The console's own server does not answer (${reason})`);
}

function parsedBody(body: string): ProblemBody | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isProblem(value) ? value : undefined;
  } catch {
    // Not JSON: a proxy in between answered with a page of its own.
    return undefined;
  }
}

function isProblem(value: unknown): value is ProblemBody {
  return typeof value === 'object' && value !== null && 'detail' in value && typeof value.detail === 'string';
}
