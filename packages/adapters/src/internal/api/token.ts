import type { Rule } from '@sendonce/core/internal';

/**
 * A secret that travels in a header. The line break at the end of a file that it was read from would make a header that cannot be sent,
 * message after message.
 */
export const TOKEN_RULE: Rule = {
  must: 'a text of visible ASCII characters, without spaces and line breaks',
  fits: (value) => typeof value === 'string' && /^[!-~]+$/.test(value),
  hidden: true,
};
