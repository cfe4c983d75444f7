import type { components } from '../api/schema';
import { count, duration } from '../shared/format';

type Rules = components['schemas']['Rules'];

/** What holds for the rows of a table with a primary key, in words, with the option that says it. */
export interface RuleFact {
  name: string;
  text: string;
  option?: string;
}

/** What becomes of rows that are put, deleted and grow old. */
export function ruleFacts(rules: Rules): RuleFact[] {
  const facts: RuleFact[] = [engineFact(rules), deleteFact(rules), imageFact(rules)];
  if (rules.autoIncrementColumn !== undefined) {
    const next = rules.nextId === undefined ? 'none is left' : `the next range begins at ${count(Number(rules.nextId))}`;
    facts.push({ name: 'Ids', text: `${rules.autoIncrementColumn}; ${next}`, option: 'auto-increment.fields' });
  }
  if (rules.rowTtlMs !== undefined) {
    facts.push({ name: 'Rows live', text: `${duration(Number(rules.rowTtlMs))} after their last change`, option: 'table.kv.ttl' });
  }
  return facts;
}

function engineFact(rules: Rules): RuleFact {
  const texts: Record<Rules['mergeEngine'], string> = {
    last_row: 'the last one stays',
    first_row: 'the first one stays',
    versioned: `the one with the largest ${rules.versionColumn ?? 'version'} stays`,
    aggregation: 'merged column by column',
  };
  const fact = { name: 'Puts', text: texts[rules.mergeEngine] };
  return rules.mergeEngine === 'last_row' ? fact : { ...fact, option: `table.merge-engine = ${rules.mergeEngine}` };
}

function deleteFact(rules: Rules): RuleFact {
  const texts: Record<Rules['deleteBehavior'], string> = {
    allow: 'take the row away',
    ignore: 'change nothing',
    disable: 'are refused',
  };
  return { name: 'Deletes', text: texts[rules.deleteBehavior] };
}

function imageFact(rules: Rules): RuleFact {
  return {
    name: 'Changelog',
    text: rules.changelogImage === 'full' ? 'has the row before and after each change' : 'has the row after each change',
  };
}

/** What becomes of a column; undefined when nothing is to be said. */
export function columnRule(rules: Rules | undefined, column: string): string | undefined {
  if (rules === undefined) {
    return undefined;
  }
  if (rules.autoIncrementColumn === column) {
    return 'id, given by the table';
  }
  if (rules.versionColumn === column) {
    return 'version';
  }
  const found = rules.functions.find((each) => each.column === column);
  if (found === undefined) {
    return undefined;
  }
  const delimiter = found.delimiter === undefined ? '' : ` with “${found.delimiter}”`;
  return `${found.function}${delimiter}${found.onOverflow === 'saturate' ? ', saturates' : ''}`;
}

/** Whether the servers know how many rows there are without reading them. */
export function countedBy(rules: Rules | undefined): boolean {
  return rules !== undefined && rules.changelogImage === 'full' && rules.rowTtlMs === undefined;
}

/** The statement that counts the rows of a table. */
export function countStatement(database: string, table: string): string {
  const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``;
  return `SELECT COUNT(*) FROM ${quoted(database)}.${quoted(table)}`;
}
