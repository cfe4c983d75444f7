/** The part of a list that is shown. */
export interface PageOf<T> {
  items: T[];
  /** From 0; inside the list even if it has shrunk meanwhile. */
  page: number;
  pages: number;
}

/** Cuts a page out of a list. */
export function pageOf<T>(all: T[], page: number, size: number): PageOf<T> {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const inside = Math.min(Math.max(0, page), pages - 1);
  return { items: all.slice(inside * size, (inside + 1) * size), page: inside, pages };
}

/** A page number from the address, which anybody can type. */
export function pageNumber(text: string | null): number {
  const value = Number(text ?? '1');
  return Number.isInteger(value) && value >= 1 ? value - 1 : 0;
}
