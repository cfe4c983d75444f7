import { type History, readHistory, written } from './history';

const STORED_AS = 'sluice.sql.history';

/** The history that this browser keeps; empty where it keeps nothing. */
export function storedHistory(): History {
  try {
    return readHistory(window.localStorage.getItem(STORED_AS));
  } catch {
    // Storage is switched off in this browser: the history lasts as long as the page.
    return [];
  }
}

/** Keeps the history, where the browser lets us. */
export function storeHistory(history: History): void {
  try {
    window.localStorage.setItem(STORED_AS, written(history));
  } catch {
    // Switched off or full; the statement itself matters more.
  }
}
