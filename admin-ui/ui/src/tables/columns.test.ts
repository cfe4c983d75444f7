import { describe, expect, it } from 'vitest';
import { defaultText, keyText, typeLines } from './columns';

describe('keyText', () => {
  const table = { primaryKey: ['id', 'dt'], bucketKey: ['id'], partitionKeys: ['dt'] };

  it('names every key that the column belongs to', () => {
    expect(keyText(table, 'id')).toBe('primary key, bucket key');
    expect(keyText(table, 'dt')).toBe('primary key, partition key');
    expect(keyText(table, 'note')).toBe('–');
  });
});

describe('defaultText', () => {
  it('says what is stored now, and what older rows read as when that differs', () => {
    expect(defaultText({})).toBeUndefined();
    expect(defaultText({ writeDefault: '5' })).toBe('default 5');
    expect(defaultText({ writeDefault: '5', initialDefault: '5' })).toBe('default 5');
    expect(defaultText({ writeDefault: '6', initialDefault: '5' })).toBe('default 6, 5 in older rows');
    expect(defaultText({ initialDefault: '5' })).toBe('default NULL, 5 in older rows');
  });
});

describe('typeLines', () => {
  it('leaves types without fields as they are', () => {
    expect(typeLines('DECIMAL(10,2)')).toBe('DECIMAL(10,2)');
    expect(typeLines('MAP<STRING,ARRAY<INT>>')).toBe('MAP<STRING,ARRAY<INT>>');
  });

  it('gives each field a line', () => {
    expect(typeLines('ROW<`x` INT, `y,<>` MAP<STRING,INT>>')).toBe('ROW<\n  `x` INT,\n  `y,<>` MAP<STRING,INT>\n>');
    expect(typeLines('ARRAY<ROW<`a` ROW<`b` DECIMAL(5,2)>>>')).toBe(
      'ARRAY<ROW<\n  `a` ROW<\n    `b` DECIMAL(5,2)\n  >\n>>',
    );
  });
});
