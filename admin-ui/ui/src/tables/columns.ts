import type { components } from '../api/schema';

type Table = Pick<components['schemas']['Table'], 'primaryKey' | 'bucketKey' | 'partitionKeys'>;
type Column = Pick<components['schemas']['Column'], 'initialDefault' | 'writeDefault'>;

/** Which keys of the table a column belongs to. */
export function keyText(table: Table, column: string): string {
  const keys = [];
  if (table.primaryKey.includes(column)) {
    keys.push('primary key');
  }
  if (table.bucketKey.includes(column)) {
    keys.push('bucket key');
  }
  if (table.partitionKeys.includes(column)) {
    keys.push('partition key');
  }
  return keys.length === 0 ? '–' : keys.join(', ');
}

/** What a column holds where no value was given: in rows written now and, when it differs, in older ones. */
export function defaultText(column: Column): string | undefined {
  const { writeDefault, initialDefault } = column;
  if (writeDefault === initialDefault || initialDefault === undefined) {
    return writeDefault === undefined ? undefined : `default ${writeDefault}`;
  }
  return `default ${writeDefault ?? 'NULL'}, ${initialDefault} in older rows`;
}

/** The type with the fields of each ROW on lines of their own. */
export function typeLines(type: string): string {
  let depth = 0;
  let quoted = false;
  const rows: boolean[] = [];
  let text = '';
  for (let i = 0; i < type.length; i++) {
    const letter = type[i]!;
    quoted = letter === '`' ? !quoted : quoted;
    if (!quoted && '<('.includes(letter)) {
      rows.push(letter === '<' && type.slice(0, i).endsWith('ROW'));
    }
    const inRow = rows[rows.length - 1] === true;
    if (quoted || !inRow || !'<>,'.includes(letter)) {
      text += letter;
    } else if (letter === '<') {
      depth += 1;
      text += `<${lineBreak(depth)}`;
    } else if (letter === ',') {
      text += `,${lineBreak(depth)}`;
    } else {
      depth -= 1;
      text += `${lineBreak(depth)}>`;
    }
    if (!quoted && '>)'.includes(letter)) {
      rows.pop();
    }
    while (inRow && !quoted && '<,'.includes(letter) && type[i + 1] === ' ') {
      i++;
    }
  }
  return text;
}

function lineBreak(depth: number): string {
  return `\n${'  '.repeat(depth)}`;
}
