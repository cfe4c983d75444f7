/** A value of a result as text. */
export interface Cell {
  text: string;
  kind: 'value' | 'null';
}

const NUMERIC = /^(TINYINT|SMALLINT|INT|INTEGER|BIGINT|FLOAT|DOUBLE|DECIMAL|NUMERIC|HUGEINT)\b/i;

/** Whether values of a SQL type are numbers, which stand right. */
export function isNumeric(type: string): boolean {
  return NUMERIC.test(type);
}

/** How a value is shown: NULL unlike any text, structures as JSON. */
export function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) {
    return { text: 'NULL', kind: 'null' };
  }
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return { text, kind: 'value' };
}

/** Where in a text a line and column, both from 1, are. */
export function positionOf(text: string, line: number, column: number): number {
  const lines = text.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  return Math.min(text.length, before + Math.max(0, column - 1));
}
