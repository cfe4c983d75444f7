import { parseExactJson } from './exactJson';
import { Problem, problemOf, unanswered } from './problem';

/** What a request came to. */
export type Answer = { kind: 'value'; value: unknown; etag: string | null } | { kind: 'unchanged' };

export interface RequestOptions {
  method?: 'GET' | 'POST';
  body?: unknown;
  etag?: string | null;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Asks the console's server; fails with a {@link Problem}, or with an AbortError when the caller gave up. */
export async function request(path: string, options: RequestOptions): Promise<Answer> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, {
      method: options.method ?? 'GET',
      headers: headers(options),
      body: options.body === undefined ? null : JSON.stringify(options.body),
      cache: 'no-store',
      signal,
    });
    text = await response.text();
  } catch (cause) {
    if (options.signal?.aborted === true) {
      throw cause;
    }
    throw unanswered(path, cause, timeout.aborted);
  }
  if (response.status === 304) {
    return { kind: 'unchanged' };
  }
  if (!response.ok) {
    throw problemOf(response.status, text);
  }
  return { kind: 'value', value: parsed(path, response.status, text), etag: response.headers.get('ETag') };
}

function headers(options: RequestOptions): Record<string, string> {
  const result: Record<string, string> = { Accept: 'application/json, application/problem+json' };
  if (options.body !== undefined) {
    result['Content-Type'] = 'application/json';
  }
  if (options.etag) {
    result['If-None-Match'] = options.etag;
  }
  return result;
}

function parsed(path: string, status: number, text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    throw new Problem(status, 'HTTP', `The answer to ${path} is not JSON; is the console behind a proxy that answers itself?`);
  }
}
