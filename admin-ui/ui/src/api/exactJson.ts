/** A JSON string, or a number with its fraction and exponent; everything else is passed over. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Digits that a double always holds. */
const SAFE_DIGITS = 15;

/**
 * Parses JSON like `JSON.parse`, but numbers that a double cannot hold exactly (snapshot ids, BIGINT
 * and DECIMAL values) become strings with their digits as sent.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text.replace(TOKEN, (token) => (isInexact(token) ? `"${token}"` : token)));
}

function isInexact(token: string): boolean {
  if (token.startsWith('"') || token.length <= SAFE_DIGITS) {
    return false;
  }
  const value = Number(token);
  // The shortest text of a double is what servers write for doubles; anything else has more digits than one.
  return Number.isInteger(value) ? !Number.isSafeInteger(value) : String(value) !== token;
}
