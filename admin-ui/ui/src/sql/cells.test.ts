import { describe, expect, it } from 'vitest';
import { cellOf, isNumeric, positionOf } from './cells';

describe('cellOf', () => {
  it('tells NULL from the empty text and from a text that reads NULL', () => {
    expect(cellOf(null)).toEqual({ text: 'NULL', kind: 'null' });
    expect(cellOf('')).toEqual({ text: '', kind: 'value' });
    expect(cellOf('NULL')).toEqual({ text: 'NULL', kind: 'value' });
  });

  it('shows numbers with all their digits and structures as JSON', () => {
    expect(cellOf('9007199254740993')).toEqual({ text: '9007199254740993', kind: 'value' });
    expect(cellOf(1.5)).toEqual({ text: '1.5', kind: 'value' });
    expect(cellOf([1, null])).toEqual({ text: '[1,null]', kind: 'value' });
  });
});

describe('isNumeric', () => {
  it('knows the types whose values stand right', () => {
    expect(['BIGINT', 'DECIMAL(10, 2)', 'double', 'STRING', 'TIMESTAMP(3)', 'INTERVAL'].map(isNumeric)).toEqual([true, true, true, false, false, false]);
  });
});

describe('positionOf', () => {
  it('finds lines and columns, and stays inside the text', () => {
    expect(positionOf('SELECT a\nFROM b', 2, 6)).toBe(14);
    expect(positionOf('SELECT', 9, 9)).toBe(6);
  });
});
