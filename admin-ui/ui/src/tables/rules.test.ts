import { describe, expect, it } from 'vitest';
import type { components } from '../api/schema';
import { columnRule, countStatement, countedBy, ruleFacts } from './rules';

type Rules = components['schemas']['Rules'];

const plain: Rules = { mergeEngine: 'last_row', functions: [], deleteBehavior: 'allow', changelogImage: 'full' };

describe('ruleFacts', () => {
  it('says what holds without any option', () => {
    expect(ruleFacts(plain)).toEqual([
      { name: 'Puts', text: 'the last one stays' },
      { name: 'Deletes', text: 'take the row away' },
      { name: 'Changelog', text: 'has the row before and after each change' },
    ]);
  });

  it('names the options that say otherwise', () => {
    const facts = ruleFacts({
      ...plain,
      mergeEngine: 'versioned',
      versionColumn: 'at',
      deleteBehavior: 'disable',
      changelogImage: 'wal',
      autoIncrementColumn: 'uid',
      nextId: 1_129,
      rowTtlMs: 7_000,
    });
    expect(facts.map((fact) => fact.text)).toEqual([
      'the one with the largest at stays',
      'are refused',
      'has the row after each change',
      'uid; the next range begins at 1,129',
      '7 s after their last change',
    ]);
    expect(facts[0]?.option).toBe('table.merge-engine = versioned');
    expect(ruleFacts({ ...plain, autoIncrementColumn: 'uid' })[3]?.text).toBe('uid; none is left');
  });
});

describe('columnRule', () => {
  it('says the function of a column, the version and the ids', () => {
    const rules: Rules = {
      ...plain,
      mergeEngine: 'aggregation',
      functions: [
        { column: 'pv', function: 'sum', onOverflow: 'saturate' },
        { column: 'tags', function: 'listagg', delimiter: ';' },
      ],
    };
    expect(columnRule(rules, 'pv')).toBe('sum, saturates');
    expect(columnRule(rules, 'tags')).toBe('listagg with “;”');
    expect(columnRule(rules, 'k')).toBeUndefined();
    expect(columnRule(undefined, 'k')).toBeUndefined();
    expect(columnRule({ ...plain, versionColumn: 'at' }, 'at')).toBe('version');
    expect(columnRule({ ...plain, autoIncrementColumn: 'uid' }, 'uid')).toBe('id, given by the table');
  });
});

describe('counting', () => {
  it('is left to tables whose rows are counted', () => {
    expect(countedBy(undefined)).toBe(false);
    expect(countedBy(plain)).toBe(true);
    expect(countedBy({ ...plain, changelogImage: 'wal' })).toBe(false);
    expect(countedBy({ ...plain, rowTtlMs: 1_000 })).toBe(false);
  });

  it('quotes names', () => {
    expect(countStatement('demo', 'a`b')).toBe('SELECT COUNT(*) FROM `demo`.`a``b`');
  });
});
