/** Statements run before, the latest first. */
export type History = readonly string[];

const KEPT = 30;
const KEPT_CHARACTERS = 10_000;

/** The history with a statement at its head; a statement is in it once, and very long ones are not kept. */
export function remembered(history: History, statement: string): History {
  const text = statement.trim();
  if (text === '' || text.length > KEPT_CHARACTERS) {
    return history;
  }
  return [text, ...history.filter((each) => each !== text)].slice(0, KEPT);
}

/** Reads what {@link written} wrote; anything else, which another program may have put there, is no history. */
export function readHistory(text: string | null): History {
  if (text === null) {
    return [];
  }
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string').slice(0, KEPT) : [];
  } catch {
    // Not JSON.
    return [];
  }
}

/** The history as it is stored. */
export function written(history: History): string {
  return JSON.stringify(history);
}
