import { useSyncExternalStore } from 'react';

/** A page of the console with what its address says. */
export type Route =
  | { page: 'tiering' }
  | { page: 'tables' }
  | { page: 'table'; database: string; table: string }
  | { page: 'servers' }
  | { page: 'sql' }
  | { page: 'unknown' };

/** The page of a path. */
export function routeOf(path: string): Route {
  const parts = decoded(path);
  if (parts === undefined) {
    return { page: 'unknown' };
  }
  const [first = 'tiering', database, table] = parts;
  if (first === 'tables' && parts.length === 3 && database !== undefined && table !== undefined) {
    return { page: 'table', database, table };
  }
  if (parts.length <= 1 && (first === 'tiering' || first === 'tables' || first === 'servers' || first === 'sql')) {
    return { page: first };
  }
  return { page: 'unknown' };
}

/** The address of a table's page. */
export function tableAddress(database: string, table: string): string {
  return `/tables/${encodeURIComponent(database)}/${encodeURIComponent(table)}`;
}

/** The address with some of its query changed; empty and undefined values are taken out. */
export function withQuery(path: string, search: string, changes: Record<string, string | undefined>): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') {
      query.delete(name);
    } else {
      query.set(name, value);
    }
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

function decoded(path: string): string[] | undefined {
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    // A percent sign that encodes nothing.
    return undefined;
  }
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}

/** Goes to an address of the console, as a link does. */
export function navigate(address: string): void {
  window.history.pushState(null, '', address);
  window.scrollTo(0, 0);
  listeners.forEach((listener) => listener());
}

/** Changes the query of this address without a step in the history: filters are not pages. */
export function changeQuery(changes: Record<string, string | undefined>): void {
  window.history.replaceState(null, '', withQuery(window.location.pathname, window.location.search, changes));
  listeners.forEach((listener) => listener());
}

/** The path of the address. */
export function usePath(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname);
}

/** The query of the address. */
export function useSearch(): URLSearchParams {
  return new URLSearchParams(useSyncExternalStore(subscribe, () => window.location.search));
}
