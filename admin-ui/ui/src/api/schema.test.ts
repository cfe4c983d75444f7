import { readFileSync } from 'node:fs';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { expect, it } from 'vitest';

it('schema.ts is what openapi.yaml says; `npm run types` makes it anew', async () => {
  const document = new URL('../../../api/openapi.yaml', import.meta.url);
  const expected = `${COMMENT_HEADER}${astToString(await openapiTS(document))}`;
  expect(readFileSync(new URL('./schema.ts', import.meta.url), 'utf8')).toBe(expected);
});
